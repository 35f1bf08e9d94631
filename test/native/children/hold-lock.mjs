// Holds a lock without keeping its object, so that only the process's end may release it. Arguments: addon, file.
const [addonPath = '', file = ''] = process.argv.slice(2);
const module = { exports: /** @type {any} */ ({}) };
process.dlopen(module, addonPath);
module.exports.lock(file);
for (let i = 0; i < 5; ++i) {
  globalThis.gc?.();
  await new Promise((resolve) => setTimeout(resolve, 5));
}
process.stdout.write('locked\n');
setInterval(() => {}, 1000);
