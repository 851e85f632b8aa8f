"""Updates of stored weights equal training on a full copy, to the last bit."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from presort.ranker.stacked.svms import Svms, margins, margins_by, update_weights

N_TERMS, N_REPORTS = 6, 2
SHARES = st.sampled_from([0.0, 0.0, 0.25, 0.5, 1.0])
PAPERS = arrays(np.float32, st.tuples(st.integers(0, 5), st.just(N_TERMS)), elements=SHARES).map(csr_array)
KEPT = arrays(np.float32, (N_TERMS + 1, N_REPORTS), elements=st.floats(-2, 2, width=32))
ROWS = st.lists(st.integers(0, N_TERMS), max_size=9).map(lambda rows: np.array(rows, dtype=np.intp))


@given(PAPERS, PAPERS, KEPT, ROWS, st.data())
def test_an_update_equals_training_on_a_full_copy(X, X_new, kept, rows, data):
    y = data.draw(arrays(np.int8, (X.shape[0], N_REPORTS), elements=st.integers(-1, 1)))
    svms = Svms()
    costs = svms.balanced_costs(y)
    before = kept.copy()
    delta, whole = update_weights(svms, X, y, kept, costs), svms.train(X, y, kept, costs)
    np.testing.assert_array_equal(np.asarray(delta), whole, strict=True)
    np.testing.assert_array_equal(delta[rows], whole[rows], strict=True)
    np.testing.assert_array_equal(margins_by(X_new, delta), margins(X_new, whole), strict=True)
    np.testing.assert_array_equal(margins_by(X_new, kept), margins(X_new, kept), strict=True)
    np.testing.assert_array_equal(kept, before)
