"""The course: nbgrader reads this when it runs in this folder."""

import os
from pathlib import Path

from grading import FeedbackExporter, OverwriteCells  # of notebooks/internal/runner
from nbgrader.preprocessors import CheckCellMetadata, ClearOutput, DeduplicateIds, OverwriteKernelspec

c = get_config()  # noqa: F821, nbgrader defines it

c.CourseDirectory.course_id = "bayescpace"

# Where release_assignment puts what students of the same machine fetch, open to all of them: inside of the clone, unless
# NBGRADER_EXCHANGE names a folder that they share.
c.Exchange.root = os.environ.get("NBGRADER_EXCHANGE") or str(Path(__file__).resolve().parents[2] / ".bayescpace" / "exchange")

# What stands in place of a solution. It ends any Go function, whatever that
# returns, so that a released notebook compiles and its tests fail one by one.
c.ClearSolutions.code_stub = {"go": '// WRITE YOUR SOLUTION HERE, in place of the next line\npanic("nothing is written here yet")'}
c.ClearSolutions.text_stub = "*Write your answer here, in place of this line.*"

# Seconds for one cell of a submission. A cell that takes longer is interrupted
# and the ones behind it are graded all the same.
c.Execute.timeout = 30

# Feedback shows formulas without the network, and tests by their names.
c.GenerateFeedback.exporter_class = FeedbackExporter

# Hidden tests that were not handed out are none of a student's changes.
c.Autograde.sanitize_preprocessors = [ClearOutput, DeduplicateIds, OverwriteKernelspec, OverwriteCells, CheckCellMetadata]
