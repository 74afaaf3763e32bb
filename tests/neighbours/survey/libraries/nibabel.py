"""nibabel: images written and read, affines, streamlines."""

import nibabel

from tests.neighbours.survey.inputs import grid, pending, rounded


def nifti(np):
    d = (np.arange(24 * 1000).reshape(20, 30, 40) * 2).astype(np.int16)
    i = nibabel.Nifti1Image(d, np.eye(4) * 2)
    nibabel.save(i, "a.nii.gz")
    d[:] = 0
    r = nibabel.load("a.nii.gz")
    return (
        r.get_fdata(),
        np.asarray(r.dataobj[3:5, ::2]),
        r.affine,
        r.header["dim"],
        i.get_fdata().sum(),
    )


@rounded(1e-9)
def scaled(np):
    d = pending(np, n=24000).reshape(20, 30, 40)
    i = nibabel.Nifti1Image(d, None)
    i.set_data_dtype(np.int16)
    i.to_filename("b.nii")
    r = nibabel.load("b.nii")
    return r.get_fdata(dtype=np.float32), r.dataobj.slope


def affines(np):
    from nibabel.affines import apply_affine, from_matvec, voxel_sizes
    from nibabel.orientations import aff2axcodes, io_orientation

    a = from_matvec(np.diag([2, -3, 4.0]), np.array([1, 2, 3]))
    return (
        apply_affine(a, grid(np, rows=400, columns=3)),
        voxel_sizes(a),
        io_orientation(a),
        aff2axcodes(a),
    )


def streamlines(np):
    from nibabel.streamlines import ArraySequence, Tractogram, load, save

    s = ArraySequence([np.arange(9.0, dtype=np.float32).reshape(3, 3) * k for k in range(1, 4)])
    save(Tractogram(s, affine_to_rasmm=np.eye(4)), "t.tck")
    s[0][:] = 7
    return (
        [np.array(x) for x in load("t.tck").streamlines],
        np.array(s[0]),
        s.get_data() if hasattr(s, "get_data") else 0,
    )
