"""ECOS and HiGHS: programs with linear and cone constraints."""

import ecos
import highspy

from tests.neighbours.survey.inputs import rounded

PACKAGE = "ecos"


@rounded(1e-6)
def cone(np):
    import scipy.sparse as sp

    g = sp.csc_matrix(np.array([[-1.0, 0], [0, -1], [1, 1]]))
    c, h = np.array([-1.0, -2]), np.array([0.0, 0, 4]) * 1
    r = ecos.solve(c, g, h, {"l": 3, "q": []}, verbose=False)
    return r["x"], r["z"]


@rounded(1e-9)
def highs(np):
    h = highspy.Highs()
    h.setOptionValue("output_flag", False)
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = 2, 1
    lp.col_cost_ = np.array([-1.0, -2])
    lp.col_lower_ = np.zeros(2)
    lp.col_upper_ = np.full(2, 3.0)
    lp.row_lower_ = np.array([-1e30])
    lp.row_upper_ = np.array([4.0])
    lp.a_matrix_.start_ = np.array([0, 1, 2])
    lp.a_matrix_.index_ = np.array([0, 0])
    lp.a_matrix_.value_ = np.ones(2)
    h.passModel(lp)
    h.run()
    return list(h.getSolution().col_value), list(lp.col_cost_)


@rounded(1e-9)
def highs_rows(np):
    h = highspy.Highs()
    h.setOptionValue("output_flag", False)
    h.addVars(3, np.zeros(3), np.ones(3) * 5)
    h.changeColsCost(3, np.arange(3, dtype=np.int32), -np.arange(1.0, 4))
    h.addRow(-1e30, 6.0, 3, np.arange(3, dtype=np.int32), np.ones(3))
    h.run()
    return np.array(h.getSolution().col_value) * 2, h.getInfo().objective_function_value
