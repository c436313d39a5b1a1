// The state that the parts of a lesson's panel share.

import type { WireLesson } from "../../pictures/browser/wire";

export interface Panel {
  data: WireLesson | null;
  /** The names of the chosen options: one, or several in their order. */
  guess: string[];
  /** The number of hands counted for each option. */
  hands: Record<string, number>;
  /** Whether the answer was sent. */
  isSent: boolean;
  act(what: string, more?: Record<string, unknown>): void;
}
