"""VTK: arrays that share their memory with NumPy's."""

import vtkmodules.util.numpy_support as ns

from tests.neighbours.survey.inputs import grid, pending


def both_ways(np):
    x = pending(np) * 2
    v = ns.numpy_to_vtk(x)
    a = v.GetValue(3)
    x[3] = 77
    y = ns.vtk_to_numpy(v)
    b = v.GetValue(3)
    x *= 2
    return a, b, v.GetValue(3), y + 1, v.GetRange()


def deep(np):
    out = []
    for d in ("uint8", "int16", "int32", "int64", "float32", "float64"):
        x = grid(np, d, 100, 3)
        v = ns.numpy_to_vtk(x, deep=True)
        x[:] = 0
        out.append((v.GetClassName(), ns.vtk_to_numpy(v), v.GetTuple(7)))
    return out


def image(np):
    from vtkmodules.vtkCommonDataModel import vtkImageData
    from vtkmodules.vtkImagingGeneral import vtkImageGaussianSmooth

    i = vtkImageData()
    i.SetDimensions(20, 30, 1)
    a = ns.numpy_to_vtk(grid(np, rows=30, columns=20).ravel() + 1)
    i.GetPointData().SetScalars(a)
    s = vtkImageGaussianSmooth()
    s.SetInputData(i)
    s.Update()
    return ns.vtk_to_numpy(s.GetOutput().GetPointData().GetScalars())


def adapter(np):
    from vtkmodules.numpy_interface import algorithms as alg
    from vtkmodules.numpy_interface import dataset_adapter as dsa
    from vtkmodules.vtkCommonDataModel import vtkPolyData

    p = dsa.WrapDataObject(vtkPolyData())
    p.Points = grid(np, rows=200, columns=3) * 2
    p.PointData.append(np.arange(200.0) ** 2, "s")
    return (
        np.asarray(alg.sum(p.PointData["s"])),
        np.asarray(p.Points),
        np.asarray(p.PointData["s"] * 2),
        np.asarray(np.sqrt(p.PointData["s"])),
    )


def lifetime(np):
    import gc

    v = ns.numpy_to_vtk(pending(np) * 3)
    gc.collect()
    z = [np.ones(200000) * k for k in range(5)]
    return ns.vtk_to_numpy(v).sum(), v.GetValue(1000), z[4][0]
