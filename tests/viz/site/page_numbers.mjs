// Prints numbers of the pages on masks, positions and embeddings: `node page_numbers.mjs`, for test_page_numbers.py.

import { answerTo } from "../../../viz/pictures/browser/live/answer.js";
import { labelsWithRoom } from "../../../viz/subjects/embeddings/browser/cloud.js";
import { neighbours, pca, rowsOf } from "../../../viz/subjects/embeddings/browser/geometry.js";
import {
  wordsOf,
  wordsOfText,
} from "../../../viz/subjects/embeddings/browser/vocabulary_words.js";
import {
  changedOutput,
  leakingCells,
  padded,
  pathOf,
  runUnder,
  stepsOf,
  tellingCell,
} from "../../../viz/subjects/masks/browser/mask_runs.js";
import {
  curveOf,
  dotProducts,
  wavelengthOf,
  writtenWithout,
} from "../../../viz/subjects/positions/browser/encodings.js";
import { asked, keptOf, tell } from "../../browser/asked.mjs";

const TOLD = { masks, positions, embeddings, plane, labels };
tell(TOLD[asked.what](asked));

function masks({ checkpoint, text, switches, own, padding }) {
  const { model, ...kept } = keptOf(checkpoint);
  const answer = answerTo({ model, ...kept }, text);
  const sentence = padded(model, answer, { id: model.config.pad_id, name: "<pad>" }, padding);
  const before = runUnder(model, sentence, own);
  const now = runUnder(model, sentence, switches);
  const telling = tellingCell(before, now);
  const kinds = Object.keys(now.masks);
  return {
    source: sentence.source,
    target: sentence.target,
    masks: kinds.map((kind) => [...now.masks[kind].data]),
    weights: kinds.map((kind) => [...now.tensors[pathOf(kind, 1, "weights")].data]),
    telling,
    leaks: telling && leakingCells(now, telling),
    steps: telling && stepsOf(now, telling, -1e9),
    changed: changedOutput(before, now),
  };
}

function positions({ checkpoint, text, dimensions }) {
  const kept = keptOf(checkpoint);
  const answer = answerTo(kept, text);
  const encodings = answer.tensors["source_embedding.positions"];
  const { config } = kept.model;
  return {
    products: [...dotProducts(encodings)],
    waves: dimensions.map((i) => wavelengthOf(config, i)),
    curves: dimensions.map((i) => curveOf(config, i, 5)),
    written: ["both", "source", "target"].map((where) =>
      writtenWithout(kept, answer, /** @type {any} */ (where)),
    ),
  };
}

function embeddings({ checkpoint, side, sent, texts, words }) {
  const known = wordsOf(keptOf(checkpoint), side, sent);
  return {
    tokens: known.tokens,
    groups: known.groups,
    inCommon: known.inCommon,
    near: words.map((word) => neighbours(known.scaled, known.places.get(word), 10)),
    ofText: texts.map((tokens) => wordsOfText(known, tokens)),
    points: pca(rowsOf(known.scaled.data, known.scaled.size, [...words.keys()])),
  };
}

function plane({ vectors }) {
  return pca({ count: vectors.length, size: vectors[0].length, data: Float64Array.from(vectors.flat()) });
}

function labels({ place, words }) {
  return labelsWithRoom(place, words, [...words.keys()]);
}
