// Keeps the time within a stage of Start, and starts the next stage. Draws nothing itself.

import { spokenOf } from "./start_controls.js";
import { durationOf, stayOf } from "./start_motion.js";

const READ_ALREADY_MS = 500;

/** Keep the time of the stage in view, from 0 to 1.
 * @param {{ asked: any, playing: boolean }} state
 * @param {() => void} playOn
 */
export function createClock(state, playOn) {
  let time = 1;
  let moving = 0;
  let waiting = null;
  const stop = () => {
    cancelAnimationFrame(moving);
    clearTimeout(waiting);
  };
  return {
    stop,
    time: () => time,
    set(at) {
      stop();
      time = at;
    },
    /** Draw each frame until the time reaches 1.
     * @param {(time: number) => void} draw
     */
    run(draw) {
      const { scene, reading } = state.asked;
      const lasting = durationOf(scene, reading.tokens.length);
      let started = null;
      const step = (now) => {
        started ??= now;
        time = Math.min((now - started) / lasting, 1);
        draw(time);
        if (time < 1) moving = requestAnimationFrame(step);
      };
      if (time < 1) moving = requestAnimationFrame(step);
    },
    /** While stages play by themselves, start the next one when this one has been read. */
    wait() {
      clearTimeout(waiting);
      if (!state.playing) return;
      const { asked } = state;
      const stay = () => stayOf(asked.scene, asked.reading.tokens.length, spokenOf(asked));
      waiting = setTimeout(playOn, time < 1 ? stay() : READ_ALREADY_MS);
    },
  };
}
