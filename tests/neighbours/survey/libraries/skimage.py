"""scikit-image: filters, morphology, transforms, measurements and drawing."""

from skimage import (
    draw,
    exposure,
    feature,
    filters,
    measure,
    morphology,
    restoration,
    segmentation,
    transform,
    util,
)

from tests.neighbours.survey.inputs import grid, rounded

PACKAGE = "scikit-image"


def _discs(np):
    image = np.zeros((200, 300), bool)
    image[20:60, 30:80] = True
    image[100:103, 100:103] = True
    image[40, 50] = False
    return image


@rounded(1e-12)
def filters_of_images(np):
    x = grid(np)
    return filters.gaussian(x, 2), filters.sobel(x), filters.median(x.astype("uint8"))


def threshold(np):
    return filters.threshold_otsu(grid(np, "uint8")), grid(np) > filters.threshold_mean(grid(np))


def hough_line(np):
    hough, angles, distances = transform.hough_line(_discs(np))
    return hough, angles, distances


def hough_circle(np):
    return transform.hough_circle(_discs(np), np.array([5, 7]))


def probabilistic_hough_line(np):
    return len(transform.probabilistic_hough_line(_discs(np), rng=1))


def remove_small_objects(np):
    return morphology.remove_small_objects(_discs(np), max_size=20)


def remove_small_holes(np):
    return morphology.remove_small_holes(_discs(np), max_size=5)


def haar_like_feature(np):
    return feature.haar_like_feature(np.arange(100.0).reshape(10, 10), 0, 0, 5, 5, "type-2-x")


def morphology_of_masks(np):
    image = _discs(np)
    disc = morphology.disk(2)
    return (
        morphology.dilation(image, disc),
        morphology.erosion(image, disc),
        morphology.skeletonize(image),
    )


def labels(np):
    found = measure.label(_discs(np))
    regions = [(r.area, r.bbox, r.centroid) for r in measure.regionprops(found)]
    return found, regions


@rounded(1e-12)
def resize_and_rotate(np):
    return transform.resize(grid(np), (100, 120)), transform.rotate(grid(np), 30)


def contours(np):
    return [c.shape for c in measure.find_contours(_discs(np).astype(float), 0.5)]


def drawing(np):
    image = grid(np, "uint8")
    rows, columns = draw.disk((50, 60), 10)
    image[rows, columns] = 255
    return image, image.sum()


@rounded(1e-12)
def exposure_of_images(np):
    x = grid(np, "uint8")
    return exposure.equalize_hist(x), exposure.rescale_intensity(x), exposure.histogram(x)


def features(np):
    return feature.canny(grid(np)), feature.peak_local_max(grid(np), min_distance=5).shape


def segments(np):
    markers = measure.label(_discs(np))
    return segmentation.watershed(grid(np)[:200, :300], markers), segmentation.clear_border(markers)


@rounded(1e-6)
def restored(np):
    return restoration.denoise_tv_chambolle(grid(np, "float64")[:50, :50] / 255)


def types(np):
    return (
        util.img_as_ubyte(grid(np) / 255),
        util.img_as_float(grid(np, "uint8")),
        util.invert(_discs(np)),
    )
