"""The cluster-robust error and its degrees of freedom by the matrices of their definition."""

import numpy as np


def dense_cr2(d, groups):
    """Return mean, CR2 error and Bell and McCaffrey's freedom by the matrices of the definition.

    Regression on an intercept: H = 11'/n, residuals e = (I - H) d, A_g = (I - H_gg)^(-1/2) by its
    eigenvectors, V = sum_g (1'A_g e_g)^2 / n^2, and with p_g = (I - H)_g' A_g 1 the freedom is
    (sum_g p_g'p_g)^2 / sum_gh (p_g'p_h)^2.
    """
    n, labels = len(d), np.unique(groups)
    residual_maker = np.eye(n) - np.full((n, n), 1 / n)
    residuals, columns = residual_maker @ d, []
    variance = 0.0
    for label in labels:
        rows = np.flatnonzero(groups == label)
        values, vectors = np.linalg.eigh(residual_maker[np.ix_(rows, rows)])
        root = vectors @ np.diag(values**-0.5) @ vectors.T
        variance += (root.sum(axis=0) @ residuals[rows]) ** 2 / n**2
        columns.append(residual_maker[:, rows] @ root.sum(axis=1))
    gram = np.array(columns) @ np.array(columns).T
    return d.mean(), np.sqrt(variance), np.trace(gram) ** 2 / (gram**2).sum()
