"""OpenCV: images and points as arguments, results and destinations."""

import cv2

from tests.neighbours.survey.inputs import grid, pending

PACKAGE = "opencv-python-headless"


def _image(np, dtype="uint8"):
    return grid(np, dtype)


def gaussian_blur(np):
    small = np.arange(64, dtype=np.uint8).reshape(8, 8)
    return cv2.GaussianBlur(small, (5, 5), 1), cv2.GaussianBlur(_image(np), (5, 5), 1)


def resize(np):
    return cv2.resize(_image(np), (50, 40)), cv2.resize(_image(np, "float32"), None, fx=0.5, fy=0.5)


def colours(np):
    image = grid(np, "uint8", 300, 600).reshape(300, 200, 3)
    return cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), cv2.cvtColor(image[:, ::-1], cv2.COLOR_BGR2HSV)


def threshold(np):
    value, mask = cv2.threshold(_image(np), 100, 255, cv2.THRESH_BINARY)
    return value, mask


def canny(np):
    return cv2.Canny(_image(np), 50, 100)


def filter_with_a_kernel(np):
    return cv2.filter2D(_image(np, "float32"), -1, np.ones((3, 3), np.float32) / 8)


def drawing_in_place(np):
    image = np.zeros((300, 400), np.uint8)
    cv2.rectangle(image, (10, 10), (50, 60), 255, -1)
    cv2.putText(image, "text", (100, 100), cv2.FONT_HERSHEY_SIMPLEX, 1, 200)
    image += 1
    return image, int(image.sum())


def drawing_into_a_pending_array(np):
    image = _image(np)
    cv2.circle(image, (100, 100), 20, 255, -1)
    image //= 2
    return image


def destination(np):
    source, out = _image(np), np.zeros((400, 500), np.uint8)
    result = cv2.blur(source, (3, 3), dst=out)
    return out, result


def arithmetic(np):
    a, b = _image(np), _image(np)[::-1].copy()
    return cv2.add(a, b), cv2.absdiff(a, b), cv2.bitwise_and(a, b)


def contours(np):
    image = np.zeros((400, 400), np.uint8)
    image[100:200, 50:300] = 255
    found, _ = cv2.findContours(image, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    return len(found), found[0], cv2.contourArea(found[0])


def warp(np):
    matrix = np.array([[1.0, 0.5, 0], [0, 1, 2]])
    return cv2.warpAffine(_image(np), matrix, (200, 300))


def perspective(np):
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    return cv2.getPerspectiveTransform(corners, corners * 2)


def k_means(np):
    points = np.array([[0, 0], [0, 1], [9, 9], [9, 8]], np.float32)
    criteria = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 10, 1.0)
    cv2.setRNGSeed(1)
    compactness, labels, _ = cv2.kmeans(points, 2, None, criteria, 3, cv2.KMEANS_PP_CENTERS)
    return compactness, bool(labels[0] == labels[1] != labels[2])


def encoding(np):
    ok, data = cv2.imencode(".png", _image(np))
    return ok, cv2.imdecode(data, cv2.IMREAD_UNCHANGED), cv2.imdecode(np.asarray(data), 0)


def histogram(np):
    return cv2.calcHist([_image(np)], [0], None, [16], [0, 256])


def split_and_merge(np):
    image = grid(np, "uint8", 300, 600).reshape(300, 200, 3)
    parts = cv2.split(image)
    return parts[1], cv2.merge([parts[2], parts[1], np.asarray(parts[0])])


def mean_and_norm(np):
    return cv2.mean(_image(np)), cv2.norm(pending(np)), cv2.minMaxLoc(_image(np))


def template(np):
    image = _image(np, "float32")
    return cv2.matchTemplate(image, image[50:60, 50:60], cv2.TM_SQDIFF).argmin()
