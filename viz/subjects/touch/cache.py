"""Results for Touch, computed once for all sessions."""

from viz.run.view import View, per_view
from viz.subjects.touch.pulls import Pull, telling_pull


@per_view
def pull_of(view: View) -> Pull | None:
    """Find a pull that is worth a try in a run without changes."""
    return None if view.run.given else telling_pull(view.run, view.model)
