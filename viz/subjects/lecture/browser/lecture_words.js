// The composed texts of the list of slides.

import { say } from "../../../pictures/browser/say.js";

/** @param {string} action @param {number} place @param {string} title */
export const ofSlide = (action, place, title) =>
  say("lecture.of_slide", { action, place: place + 1, title });

/** Say where a slide was made. @param {{model: string, source: string, day: string, link: string}} made */
export const madeOf = ({ model, source, day, link }) =>
  [model, source && say("lecture.quoted", { source }), day, link].filter(Boolean).join("  ·  ");
