"""Pillow and image files: pictures of arrays and arrays of pictures."""

import io

from PIL import Image

from tests.neighbours.survey.inputs import grid


def from_array(np):
    image = Image.fromarray(grid(np, "uint8"))
    return image.size, image.mode, np.asarray(image), image.getpixel((5, 6))


def colours(np):
    x = grid(np, "uint8", 300, 600).reshape(300, 200, 3)
    image = Image.fromarray(x)
    return (
        np.array(image.convert("L")),
        np.array(image.resize((50, 60))),
        np.asarray(image.rotate(90)),
    )


def modes(np):
    kinds = [(np.uint8, "L"), (np.int32, "I"), (np.float32, "F"), (bool, "1")]
    return [Image.fromarray(grid(np).astype(kind)).mode == mode for kind, mode in kinds]


def changed(np):
    x = np.array(Image.fromarray(grid(np, "uint8")))
    x[x > 100] = 0
    image = Image.fromarray(x)
    image.paste(7, (0, 0, 10, 10))
    return np.asarray(image), np.sum(image)


def files(np):
    out = io.BytesIO()
    Image.fromarray(grid(np, "uint8")).save(out, "png")
    out.seek(0)
    return np.asarray(Image.open(out))


def tiff(np):
    import tifffile

    tifffile.imwrite("a.tif", grid(np, "float32"))
    return tifffile.imread("a.tif") + np.float32(1)


def imageio(np):
    import imageio.v3 as package

    package.imwrite("a.png", grid(np, "uint8"))
    return np.asarray(package.imread("a.png")) // 2


def codecs(np):
    import imagecodecs

    return np.asarray(
        imagecodecs.png_decode(imagecodecs.png_encode(grid(np, "uint8")))
    ), imagecodecs.delta_encode(np.arange(5))
