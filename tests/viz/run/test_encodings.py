import math

import numpy as np

from viz.run.encodings import still_dimensions


def test_a_dimension_is_still_whose_values_lie_within_a_tenth():
    """A sine of wavelength L spans sin(49·2π/L) over positions 0 to 49 while that is below L/4."""
    lengths = np.array([20.0, 200.0, 3000.0, 3100.0, 1e6])
    values = np.sin(np.outer(np.arange(50), 2 * math.pi / lengths))
    expected = [i for i, length in enumerate(lengths) if math.sin(49 * 2 * math.pi / length) < 0.1]
    expected = [i for i in expected if lengths[i] > 4 * 49]
    assert still_dimensions(values).tolist() == expected == [3, 4]
