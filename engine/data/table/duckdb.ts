/** DuckDB as this folder uses it: in memory, bounded, without network; it spills into the cache and ends with the work. */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBDataChunk, DuckDBValue } from '@duckdb/node-api';
import { GradloomError } from '../../contract/errors.ts';
import { makeFolders, systemError } from '../../files.ts';

const mostMemory = Math.min(1 << 30, Math.floor(totalmem() / 4));

const threads = Math.min(availableParallelism(), 16);

export type Cell = DuckDBValue;
type Parameters = Record<string, DuckDBValue>;

/** A text as SQL writes it. DuckDB's texts know no backslashes and no NUL. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''").replaceAll('\0', '')}'`;
/** A name as SQL writes it. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
export const literals = (texts: readonly string[]): string => texts.map(literal).join(', ');

/** A path for DuckDB's readers, which would take `*`, `?` and `[` for patterns. */
export const exactPath = (path: string): string => path.replace(/[[*?]/g, (sign) => `[${sign}]`);

export class Database {
  readonly #connection: DuckDBConnection;
  readonly #signal: AbortSignal | undefined;

  constructor(connection: DuckDBConnection, signal: AbortSignal | undefined) {
    this.#connection = connection;
    this.#signal = signal;
  }

  async run(sql: string, parameters: Parameters = {}): Promise<void> {
    this.#signal?.throwIfAborted();
    await this.#connection.run(sql, parameters);
  }

  /** All rows, whole numbers as BigInt. For answers of bounded size. */
  async rows(sql: string, parameters: Parameters = {}): Promise<Cell[][]> {
    this.#signal?.throwIfAborted();
    return (await this.#connection.runAndReadAll(sql, parameters)).getRows();
  }

  /** The same for rows of thousands of cells: several threads hold more of them than there is memory. */
  async streamed(sql: string, parameters: Parameters = {}): Promise<Cell[][]> {
    const rows: Cell[][] = [];
    for await (const chunk of this.chunks(sql, parameters)) rows.push(...chunk.getRows());
    return rows;
  }

  /** The one row of an aggregate, as numbers (null: none). */
  async numbers(sql: string, parameters: Parameters = {}): Promise<(number | null)[]> {
    const [row = []] = await this.rows(sql, parameters);
    return row.map((value) => (value === null ? null : Number(value)));
  }

  /**
   * Rows as they come, some thousand at once, in the order of the query's own source: by one thread, as several hand on what they have in any
   * order when they are slower than the reader.
   */
  async *chunks(sql: string, parameters: Parameters = {}): AsyncGenerator<DuckDBDataChunk, void, void> {
    await this.run('SET threads = 1');
    try {
      const result = await this.#connection.stream(sql, parameters);
      for (;;) {
        this.#signal?.throwIfAborted();
        const chunk = await result.fetchChunk();
        if (!chunk || chunk.rowCount === 0) return;
        yield chunk;
      }
    } finally {
      await this.#connection.run(`SET threads = ${threads}`);
    }
  }
}

/** Gives `work` a database of its own, gone when it ends; `cacheDir` takes what does not fit into memory. */
export async function withDatabase<T>(
  cacheDir: string,
  work: (database: Database) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  signal?.throwIfAborted();
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const spill = join(cacheDir, 'tables', `spill-${process.pid}-${randomBytes(4).toString('hex')}`);
  await makeFolders(join(cacheDir, 'tables'));
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(threads),
    memory_limit: `${Math.floor(mostMemory / 1024)}KiB`,
    temp_directory: spill,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  });
  let connection: DuckDBConnection | null = null;
  const stop = () => connection?.interrupt();
  try {
    connection = await instance.connect();
    signal?.addEventListener('abort', stop);
    await connection.run("SET TimeZone = 'UTC'");
    return await work(new Database(connection, signal));
  } catch (thrown) {
    if (signal?.aborted) throw new GradloomError('CANCELLED', 'Reading the table was cancelled.', { cause: thrown });
    throw duckError(thrown, spill);
  } finally {
    signal?.removeEventListener('abort', stop);
    connection?.closeSync();
    instance.closeSync();
    await rm(spill, { recursive: true, force: true });
  }
}

function duckError(thrown: unknown, spill: string): GradloomError {
  if (thrown instanceof GradloomError) return thrown;
  const [first = ''] = String((thrown as Error).message).split('\n');
  if (/out of memory/i.test(first)) {
    return new GradloomError('OUT_OF_MEMORY', `The table needs more memory than DuckDB was given: ${first}`, {
      hint: 'Give fewer columns, or free some memory.',
      cause: thrown,
    });
  }
  if (/no space left|disk full/i.test(first)) {
    return new GradloomError('DISK_FULL', `The cache could not take the table: ${first}`, {
      hint: 'Free some space and try again.',
      cause: thrown,
    });
  }
  return systemError(thrown, spill, 'write');
}
