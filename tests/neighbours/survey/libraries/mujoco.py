"""MuJoCo: state set from arrays, and functions that write into them."""

import mujoco

from tests.neighbours.survey.inputs import pending, rounded

XML = """
<mujoco>
  <worldbody><body name="b"><freejoint/><geom size=".1"/></body></worldbody>
</mujoco>
"""


def _model():
    model = mujoco.MjModel.from_xml_string(XML)
    return model, mujoco.MjData(model)


@rounded(1e-12)
def state(np):
    model, data = _model()
    data.qpos[:] = np.array([0, 0, 1.0, 1, 0, 0, 0])
    data.qvel[:3] = np.arange(3.0)
    mujoco.mj_step(model, data)
    return np.asarray(data.qpos) * 2, np.sum(data.qvel)


@rounded(1e-12)
def assigned(np):
    model, data = _model()
    data.qpos = np.array([0, 0, 2.0, 1, 0, 0, 0])
    mujoco.mj_forward(model, data)
    return data.xpos.copy()


@rounded(1e-12)
def written_in_place(np):
    result = np.zeros(4)
    mujoco.mju_mulQuat(result, np.array([1.0, 0, 0, 0]), np.array([0, 1.0, 0, 0]))
    return result


@rounded(1e-12)
def jacobian(np):
    model, data = _model()
    mujoco.mj_forward(model, data)
    positions, rotations = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    mujoco.mj_jac(model, data, positions, rotations, np.zeros(3), 1)
    return positions, rotations


@rounded(1e-12)
def norms(np):
    return mujoco.mju_norm(np.arange(5.0)), mujoco.mju_norm(pending(np))


@rounded(1e-12)
def rotated(np):
    result = np.zeros(9)
    mujoco.mju_quat2Mat(result, np.array([0.5, 0.5, 0.5, 0.5]))
    return result.reshape(3, 3) @ np.arange(3.0)
