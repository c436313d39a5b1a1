// What Python sends of the lessons and of the exam: the dictionaries of ../wire.py say the same.

import type { WireOption } from "../../../pictures/browser/wire";

/** A lesson of the list. */
export interface WireListed {
  id: string;
  title: string;
  goal: string;
  minutes: number;
  /** The steps that ask something. */
  asked: number[];
  /** Whether it is on the ten-minute path. */
  path: boolean;
}

/** All lessons. */
export interface WireLessons {
  language: string;
  lessons: WireListed[];
  /** The step of the lesson that goes on. */
  current: [string, number] | null;
}

/** The field for a file of one's own. */
export interface WireBring {
  /** Bytes of it. */
  most: number;
}

/** One row: the words that may be clicked, and what was written before. */
export interface WireExamRow {
  options: WireOption[];
  written: string;
  /** The word that the row writes; a question mark until the end. */
  following: string;
  gloss: string;
  link: string;
  /** Empty until the end. */
  truth: string;
}

/** The exam: its rows; after the end the guesses and how many were right. */
export interface WireExam {
  seed: number;
  language: string;
  rows: WireExamRow[];
  guesses: string[];
  /** The rows, from 0, that were answered after a hint. */
  helped: number[];
  scores: [number, number, number] | null;
  enough: number;
}
