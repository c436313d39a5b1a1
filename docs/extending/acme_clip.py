"""A kind of intervention: it limits the size of the numbers of a tensor."""

from torch import Tensor

from loupe.plugins import VERSION, Intervention

assert VERSION == 1, f"written for version 1 of loupe.plugins, found {VERSION}"


class Clip(Intervention, kind="acme-clip"):
    """Limit every number to the range from -`amount` to `amount`."""

    acts_on = r".*(heads|output)"  # which tensors it fits, as a regular expression
    amounts = (0.0, 1e6)  # the least and the most `amount`
    of_columns = True  # each number is changed by itself, so single columns can be chosen
    says = {  # noqa: RUF012 - nobody changes it
        "en": "{place} clipped to ±{amount:.4g}",
        "fr": "{place} limité à ±{amount:.4g}",
    }

    def change(self, value: Tensor) -> Tensor:
        """Return the new tensor. A row may depend on that row alone."""
        return value.clamp(-self.amount, self.amount)
