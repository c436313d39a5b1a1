// Compares branches with the model's choice, for test_branches.py.

import { asked, tell } from "../../../browser/asked.mjs";
import "../../../browser/texts.mjs";
import { branchesOf } from "../../../../viz/subjects/decoding/browser/branches.js";
import { totalsOf } from "../../../../viz/subjects/decoding/browser/studio.js";

const { sent, paths } = asked;
tell({ branches: sent.map(branchesOf), totals: paths.map(totalsOf) });
