// What the parts of a lesson's panel share.

import type { WireLesson } from "../../pictures/browser/wire";

export interface Panel {
  data: WireLesson | null;
  /** Names of the options that are chosen: one, or several in their order. */
  guess: string[];
  /** How many hands were counted for an option. */
  hands: Record<string, number>;
  /** Whether the answer was sent. */
  isSent: boolean;
  act(what: string, more?: Record<string, unknown>): void;
}
