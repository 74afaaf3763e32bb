"""RDKit: coordinates, fingerprints and distance matrices."""

from rdkit import Chem, DataStructs
from rdkit.Chem import AllChem, rdMolTransforms
from rdkit.Geometry import Point3D


def _conformer():
    molecule = Chem.MolFromSmiles("CCO")
    conformer = Chem.Conformer(3)
    for k in range(3):
        conformer.SetAtomPosition(k, Point3D(k, 0, 0))
    molecule.AddConformer(conformer)
    return molecule, molecule.GetConformer()


def positions_set(np):
    _, conformer = _conformer()
    conformer.SetPositions(np.arange(9.0).reshape(3, 3))
    return conformer.GetPositions()


def positions_used(np):
    _, conformer = _conformer()
    x = np.asarray(conformer.GetPositions())
    return x + 1, x.mean(axis=0)


def position_of_an_atom(np):
    _, conformer = _conformer()
    conformer.SetAtomPosition(0, np.array([1.0, 2, 3]))
    return list(conformer.GetAtomPosition(0))


def transformed(np):
    _, conformer = _conformer()
    matrix = np.eye(4)
    matrix[:3, 3] = 1
    rdMolTransforms.TransformConformer(conformer, matrix)
    return conformer.GetPositions()


def fingerprint(np):
    bits = Chem.RDKFingerprint(Chem.MolFromSmiles("CCO"))
    out = np.zeros((1,), np.int8)
    DataStructs.ConvertToNumpyArray(bits, out)
    return out, out.sum()


def distances(np):
    return np.asarray(Chem.GetDistanceMatrix(Chem.MolFromSmiles("CCO"))) + 1


def aligned(np):
    molecule, _ = _conformer()
    return AllChem.GetBestRMS(Chem.Mol(molecule), Chem.Mol(molecule))
