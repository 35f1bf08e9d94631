/** A package index on loopback with small wheels of the real ones' shape, that can cut, slow down or falsify what it sends. */
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import yazl from 'yazl';

export interface Wheel {
  package: string;
  filename: string;
  bytes: Buffer;
}

export interface Behaviour {
  /** Ends each connection after so many bytes of a file. */
  cutAfter?: number;
  /** Waits so long, in ms, after each 64 KiB. */
  slow?: number;
  /** Answers every request with the whole file. */
  noRanges?: boolean;
  /** Announces other checksums. */
  wrongHash?: boolean;
  /** PEP 691's JSON in place of HTML. */
  json?: boolean;
}

const machine = process.arch === 'arm64' ? 'aarch64' : 'x86_64';

function zip(members: Record<string, Buffer | string>): Promise<Buffer> {
  const file = new yazl.ZipFile();
  for (const [name, content] of Object.entries(members)) {
    file.addBuffer(Buffer.from(content), name, { mode: name.includes('/bin/') ? 0o100755 : 0o100644 });
  }
  file.end();
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    file.outputStream.on('data', (part: Buffer) => parts.push(part));
    file.outputStream.on('end', () => resolve(Buffer.concat(parts)));
    file.outputStream.on('error', reject);
  });
}

const metadata = (...requires: string[]) =>
  ['Metadata-Version: 2.1', ...requires.map((line) => `Requires-Dist: ${line}`), '', 'text'].join('\n');

/** torch, CUDA's small parts, CMake and Ninja; libtorch_cpu.so is 3 MiB that do not compress. */
export async function makeWheels(cmakeScript = ''): Promise<Wheel[]> {
  const linux = `manylinux_2_28_${machine}`;
  const torch = await zip({
    'torch/lib/libtorch_cpu.so': randomBytes(3 << 20),
    'torch/lib/libc10.so': 'c10',
    'torch/lib/libgomp.so.1': 'gomp',
    'torch/lib/libtorch_python.so': 'python',
    'torch/lib/libtorch_cuda.so': 'cuda',
    'torch/lib/libtorch.so': 'all',
    'torch/include/ATen/Tensor.h': '// header',
    'torch/nn/modules/linear.py': 'python',
    'torch/version.py': "__version__ = '2.15.0+cu132'\n",
    'torch-2.15.0.dist-info/METADATA': metadata(
      'filelock',
      'cuda-toolkit[cublas,cudart,cupti]==13.2.2; platform_system == "Linux"',
      'nvidia-nccl-cu13==2.30.7; platform_system == "Linux"',
    ),
    'torch-2.15.0.dist-info/licenses/LICENSE': 'BSD',
  });
  const toolkit = await zip({
    'cuda_toolkit-13.2.2.dist-info/METADATA': metadata(
      'nvidia-cuda-runtime==13.2.86.*; extra == "all"',
      'nvidia-cuda-cupti==13.2.86.*; extra == "cupti"',
      'nvidia-cublas==13.4.*; extra == "cublas"',
    ),
  });
  const part = (name: string, library: string) =>
    zip({
      [`nvidia/cu13/lib/${library}`]: 'so',
      'nvidia/cu13/include/header.h': 'h',
      [`${name}-13.2.86.dist-info/METADATA`]: metadata(),
    });
  return [
    { package: 'torch', filename: `torch-2.15.0-cp312-cp312-${linux}.whl`, bytes: torch },
    {
      package: 'torch',
      filename: `torch-2.15.0-cp314-cp314t-${linux}.whl`,
      bytes: await zip({ 'torch/x': 'free-threaded' }),
    },
    { package: 'torch', filename: `torch-2.14.0-cp312-cp312-${linux}.whl`, bytes: await zip({ 'torch/x': 'older' }) },
    {
      package: 'torch',
      filename: 'torch-2.15.0-cp312-cp312-win_amd64.whl',
      bytes: await zip({ 'torch/x': 'windows' }),
    },
    { package: 'cuda-toolkit', filename: 'cuda_toolkit-13.2.2-py2.py3-none-any.whl', bytes: toolkit },
    {
      package: 'nvidia-cuda-runtime',
      filename: `nvidia_cuda_runtime-13.2.86-py3-none-manylinux2014_${machine}.manylinux_2_17_${machine}.whl`,
      bytes: await part('nvidia_cuda_runtime', 'libcudart.so.13'),
    },
    {
      package: 'nvidia-cuda-cupti',
      filename: `nvidia_cuda_cupti-13.2.86-py3-none-manylinux_2_25_${machine}.whl`,
      bytes: await part('nvidia_cuda_cupti', 'libcupti.so.13'),
    },
    {
      package: 'cmake',
      filename: `cmake-4.1.2-py3-none-${linux}.whl`,
      bytes: await zip({ 'cmake/data/bin/cmake': cmakeScript, 'cmake-4.1.2.dist-info/METADATA': metadata() }),
    },
    {
      package: 'ninja',
      filename: `ninja-1.13.0-py3-none-${linux}.whl`,
      bytes: await zip({ 'ninja/data/bin/ninja': '#!/bin/sh\n', 'ninja-1.13.0.dist-info/METADATA': metadata() }),
    },
  ];
}

export class IndexServer {
  readonly wheels: Wheel[];
  behaviour: Behaviour = {};
  /** Requests for files, with the first byte asked for. */
  requests: { filename: string; from: number }[] = [];
  /** Bytes of files sent. */
  sent = 0;
  readonly #server = createServer((request, response) => this.#answer(request, response));

  constructor(wheels: Wheel[]) {
    this.wheels = wheels;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  /** For PIP_INDEX_URL. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/simple`;
  }

  get totalBytes(): number {
    const wanted = this.wheels.filter(
      (wheel) => wheel.package !== 'torch' || wheel.filename.includes('2.15.0-cp312-cp312-many'),
    );
    return wanted
      .filter((wheel) => !['cmake', 'ninja'].includes(wheel.package))
      .reduce((sum, wheel) => sum + wheel.bytes.length, 0);
  }

  reset(behaviour: Behaviour = {}): void {
    this.behaviour = behaviour;
    this.requests = [];
    this.sent = 0;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, area, name = ''] = (request.url ?? '').split('/');
    if (area === 'simple') return this.#page(name, response);
    const wheel = this.wheels.find(({ filename }) => filename === decodeURIComponent(name));
    if (area !== 'files' || wheel === undefined) {
      response.writeHead(404).end();
      return;
    }
    const asked = /^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1];
    const from = this.behaviour.noRanges || asked === undefined ? 0 : Number(asked);
    this.requests.push({ filename: wheel.filename, from });
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': wheel.bytes.length - from });
    const end = Math.min(wheel.bytes.length, from + (this.behaviour.cutAfter ?? Number.POSITIVE_INFINITY));
    for (let at = from; at < end && !response.destroyed; at += 65_536) {
      const block = wheel.bytes.subarray(at, Math.min(end, at + 65_536));
      await new Promise((resolve) => response.write(block, resolve));
      this.sent += block.length;
      if (this.behaviour.slow) await new Promise((resolve) => setTimeout(resolve, this.behaviour.slow));
    }
    // Let what was written leave before the connection is cut.
    if (end < wheel.bytes.length) setTimeout(() => response.destroy(), 20);
    else response.end();
  }

  #page(name: string, response: ServerResponse): void {
    const mine = this.wheels.filter((wheel) => wheel.package === name);
    if (mine.length === 0) {
      response.writeHead(404).end();
      return;
    }
    const hash = (wheel: Wheel) =>
      createHash('sha256')
        .update(this.behaviour.wrongHash ? 'other' : wheel.bytes)
        .digest('hex');
    if (this.behaviour.json) {
      response.writeHead(200, { 'content-type': 'application/vnd.pypi.simple.v1+json' });
      const entries = mine.map((wheel) => ({
        filename: wheel.filename,
        url: `../../files/${wheel.filename}`,
        hashes: { sha256: hash(wheel) },
      }));
      response.end(JSON.stringify({ files: entries }));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(
      mine
        .map((wheel) => `<a href="../../files/${wheel.filename}#sha256=${hash(wheel)}">${wheel.filename}</a>`)
        .join('\n'),
    );
  }
}
