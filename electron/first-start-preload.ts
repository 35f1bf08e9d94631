/** Fills the page of the first start, which has no script of its own, with what main tells. */
import { ipcRenderer } from 'electron';
import type { ProvisionMessage } from '../engine/contract/provision.ts';

const channel = 'gradloom:first-start';

function find<T extends HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no #${id}`);
  return element as T;
}

function mib(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20).toLocaleString('en')} MiB`;
}

function show(message: ProvisionMessage): void {
  const bar = find<HTMLProgressElement>('bar');
  find('again').hidden = message.type !== 'failed';
  bar.hidden = message.type === 'failed';
  if (message.type === 'say') find('state').textContent = message.text;
  else if (message.type === 'progress') {
    const { label, done, total } = message;
    if (total === null) bar.removeAttribute('value');
    else bar.value = total === 0 ? 1 : done / total;
    find('state').textContent = total === null ? `${label}: ${mib(done)}` : `${label}: ${mib(done)} of ${mib(total)}`;
  } else if (message.type === 'failed') find('state').textContent = `${message.message}\n${message.hint}`;
}

window.addEventListener('DOMContentLoaded', () => {
  ipcRenderer.on(channel, (_, message: ProvisionMessage) => show(message));
  find('again').addEventListener('click', () => {
    find('again').hidden = true;
    ipcRenderer.send(channel);
  });
});
