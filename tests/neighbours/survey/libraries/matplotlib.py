"""Matplotlib: pictures of arrays, to the pixel, and arrays of pictures."""

import io

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

from tests.neighbours.survey.inputs import grid, pending


def _pixels(np, draw):
    figure, axes = plt.subplots(figsize=(3, 2), dpi=60)
    draw(axes)
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba()).copy()
    plt.close(figure)
    return pixels


def lines(np):
    return _pixels(np, lambda a: a.plot(np.arange(50.0), np.arange(50.0) ** 2))


def pending_lines(np):
    return _pixels(np, lambda a: a.plot(pending(np)[::100], grid(np).ravel()[::100], "."))


def images(np):
    return _pixels(np, lambda a: a.imshow(grid(np), cmap="viridis")), _pixels(
        np, lambda a: a.pcolormesh(grid(np)[:20, :20])
    )


def histograms(np):
    return _pixels(np, lambda a: a.hist(grid(np)[:, :3], bins=10)), _pixels(
        np, lambda a: a.boxplot(grid(np)[:, :4])
    )


def scatter(np):
    x = np.arange(30.0)
    return _pixels(np, lambda a: a.scatter(x, x % 7, c=x, s=x * 3))


def contours(np):
    return _pixels(np, lambda a: a.contourf(grid(np)[:20, :20]))


def bars(np):
    return _pixels(np, lambda a: a.bar(np.arange(4), np.array([1.0, 3, 2, 4]), yerr=np.ones(4) / 2))


def filled(np):
    x = np.arange(20.0)
    return _pixels(np, lambda a: a.fill_between(x, x, x * 2, where=x > 5))


def arrows(np):
    x = np.arange(5.0)
    return _pixels(np, lambda a: a.quiver(x, x, x + 1, x * 0 + 1))


def dates(np):
    days = np.arange("2020-01-01", "2020-02-01", dtype="datetime64[D]")
    return _pixels(np, lambda a: a.plot(days, np.arange(31)))


def updated(np):
    def draw(axes):
        (line,) = axes.plot(np.arange(3.0))
        line.set_ydata(np.array([3.0, 1, 2]))
        line.set_data(np.arange(4.0), np.arange(4.0) % 2)

    return _pixels(np, draw)


def line_data(np):
    figure, axes = plt.subplots()
    x = pending(np)
    (line,) = axes.plot(x)
    x += 1
    plt.close(figure)
    return np.asarray(line.get_ydata()), line.get_xydata().shape


def saved(np):
    out = io.BytesIO()
    plt.imsave(out, grid(np) / 251, format="png")
    out.seek(0)
    return plt.imread(out)


def colours(np):
    return plt.get_cmap("viridis")(np.arange(5) / 5), matplotlib.colors.to_rgba_array(np.eye(3))


def ticks(np):
    figure, axes = plt.subplots()
    axes.set_xticks(np.arange(3))
    axes.set_xlim(*np.array([0.0, 3]))
    found = [t.get_text() for t in axes.get_xticklabels()]
    plt.close(figure)
    return found, axes.get_xlim()
