// @ts-check
/** What the bench of the window measures in a page: time to use, typing, frames, memory. */

/** @typedef {import('playwright-core').Page} Page */

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** @param {readonly number[]} values @param {number} share */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/**
 * Milliseconds from the navigation until the templates can be clicked and the engine answers.
 * @param {Page} page
 * @param {string} url
 */
export async function timeToUse(page, url) {
  await page.goto('about:blank');
  await page.goto(url, { waitUntil: 'commit' });
  const handle = await page.waitForFunction(
    () =>
      document.querySelector('footer')?.textContent?.includes('Engine ready') === true &&
      document.querySelector('main button:not([disabled]) svg, main [role="button"] svg') !== null &&
      performance.now(),
    undefined,
    { polling: 'raf' },
  );
  return Number(await handle.jsonValue());
}

/**
 * Types into the focused field; for each key the milliseconds from the key until the window's work on it is done, and until the next
 * frame is on its way to the screen.
 * @param {Page} page
 * @param {readonly string[]} keys
 * @returns {Promise<{ work: number[], paint: number[] }>}
 */
export async function typingTimes(page, keys) {
  await page.evaluate(() => {
    const told = { work: /** @type {number[]} */ ([]), paint: /** @type {number[]} */ ([]) };
    let pressed = 0;
    window.addEventListener(
      'keydown',
      (event) => {
        pressed = event.timeStamp;
      },
      true,
    );
    // Behind React's own listeners, so that what the key changes has been drawn into the document by then.
    window.addEventListener('input', () => {
      const key = pressed;
      told.work.push(performance.now() - key);
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => told.paint.push(performance.now() - key);
        port2.postMessage(null);
      });
    });
    Object.assign(window, { told });
  });
  for (const key of keys) {
    await page.keyboard.press(key);
    await page.waitForTimeout(120);
  }
  return page.evaluate(() => /** @type {any} */ (window).told);
}

/**
 * Frames of the window in so many seconds.
 * @param {Page} page
 * @param {number} seconds
 * @param {() => Promise<unknown>} [work] what is done meanwhile
 * @returns {Promise<{ rate: number, longest: number }>} frames a second, and the longest time between two in milliseconds
 */
export async function frames(page, seconds, work) {
  const counting = page.evaluate(
    (ms) =>
      new Promise((resolve) => {
        const began = performance.now();
        let [count, longest, last] = [0, 0, began];
        const frame = () => {
          const now = performance.now();
          count += 1;
          longest = Math.max(longest, now - last);
          last = now;
          if (now - began < ms) requestAnimationFrame(frame);
          else resolve({ rate: (1000 * count) / (now - began), longest });
        };
        requestAnimationFrame(frame);
      }),
    1000 * seconds,
  );
  await work?.();
  return /** @type {Promise<{ rate: number, longest: number }>} */ (counting);
}

/**
 * Bytes of the page's objects after a collection, and how many elements its document has.
 * @param {Page} page
 */
export async function pageMemory(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const { nodes } = await session.send('Memory.getDOMCounters');
  await session.detach();
  return { heap: usedSize, nodes };
}
