// @ts-check
/** What a long step shows on standard error: one line redrawn on a terminal, now and then a plain line elsewhere. */

const redrawMs = 100;
const plainMs = 5_000;

/**
 * @typedef {object} Progress
 * @property {(text: string) => void} say a line that stays
 * @property {(label: string, done: number, total: number | null) => void} bytes a download's or an unpacking's state
 * @property {(label: string, done: number, total: number, detail: string) => void} count a build's state
 * @property {() => void} clear removes the redrawn line, before others write
 */

/**
 * @param {NodeJS.WriteStream} [stream]
 * @returns {Progress}
 */
export function createProgress(stream = process.stderr) {
  const terminal = stream.isTTY === true;
  let drawn = false;
  let lastTime = 0;
  let lastLabel = '';
  /** Where the rate is measured from. @type {{ time: number, done: number }} */
  let start = { time: 0, done: 0 };

  function clear() {
    if (drawn) stream.write('\r\x1b[2K');
    drawn = false;
  }

  /**
   * @param {string} label
   * @param {number} done
   * @param {boolean} last
   * @param {() => string} text
   */
  function show(label, done, last, text) {
    const now = Date.now();
    if (label !== lastLabel) {
      lastLabel = label;
      lastTime = terminal ? 0 : now;
      start = { time: now, done };
    }
    if (!last && now - lastTime < (terminal ? redrawMs : plainMs)) return;
    lastTime = now;
    const line = text();
    if (!terminal || last) {
      clear();
      stream.write(`${line}\n`);
      if (last) lastLabel = '';
    } else {
      stream.write(`\r\x1b[2K${line.slice(0, Math.max(20, (stream.columns || 80) - 1))}`);
      drawn = true;
    }
  }

  return {
    clear,
    say(text) {
      clear();
      stream.write(`${text}\n`);
    },
    bytes(label, done, total) {
      show(label, done, done === total, () => {
        const seconds = (Date.now() - start.time) / 1000;
        const rate = seconds > 0.2 ? `  ${mib((done - start.done) / seconds)}/s` : '';
        const of = total === null ? mib(done) : `${mib(done)} of ${mib(total)}  ${percent(done, total)}`;
        return `${label}  ${of}${rate}`;
      });
    },
    count(label, done, total, detail) {
      show(label, done, done === total, () => `${label}  [${done}/${total}]  ${percent(done, total)}  ${detail}`);
    },
  };
}

/**
 * @param {number} bytes
 * @returns {string}
 */
export function mib(bytes) {
  return `${(bytes / 2 ** 20).toFixed(bytes < 100 * 2 ** 20 ? 1 : 0)} MiB`;
}

/**
 * @param {number} done
 * @param {number} total
 */
function percent(done, total) {
  return `${total === 0 ? 100 : Math.floor((100 * done) / total)} %`;
}
