/** Data sets that can be fetched, as `assets/sources.json` or the file named by GRADLOOM_SOURCES lists them, and whether they are there. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { rootDir } from '../../../native/setup/paths.mjs';
import type { Recipe } from '../../contract/data/recipes.ts';
import { GradloomError } from '../../contract/errors.ts';
import { nearest } from '../../contract/report.ts';
import { systemError } from '../../files.ts';

const plainName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/);

const fileSchema = z.object({
  name: plainName,
  /** To fetch. */
  bytes: z.number().int().positive(),
  /** As published. */
  md5: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .exactOptional(),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .exactOptional(),
  /** A TAR archive whose files are wanted, not itself. */
  unpack: z.boolean().exactOptional(),
});
export type RecipeFile = z.infer<typeof fileSchema>;

const recipeSchema = z.object({
  name: plainName,
  title: z.string(),
  about: z.string(),
  licence: z.string(),
  /** Reads the folder. */
  source: z.object({ kind: z.string() }).loose(),
  /** Folders at servers, the first that answers is taken; each ends in `/`. */
  mirrors: z.array(z.string().regex(/^https?:\/\/.*\/$/)).min(1),
  files: z.array(fileSchema.refine(({ md5, sha256 }) => md5 ?? sha256, 'a checksum is missing')).min(1),
});
export type RecipeEntry = z.infer<typeof recipeSchema>;

const listSchema = z.object({ recipes: z.array(recipeSchema) });

/** What a fetched folder says of itself; also what makes it complete. */
export const markerName = 'gradloom-recipe.json';
const markerSchema = z.object({
  name: z.string(),
  files: z.array(z.object({ name: z.string(), bytes: z.number() })),
});
export type Marker = z.infer<typeof markerSchema>;

/** @throws GradloomError FILE_NOT_FOUND, DATA_FORMAT */
export async function readRecipes(file = process.env.GRADLOOM_SOURCES || join(rootDir(), 'assets', 'sources.json')) {
  const text = await readFile(file, 'utf8').catch((thrown: unknown) => {
    throw systemError(thrown, file, 'read');
  });
  try {
    return listSchema.parse(JSON.parse(text)).recipes;
  } catch (thrown) {
    const issue = thrown instanceof z.ZodError ? thrown.issues[0] : undefined;
    const where = issue ? ` at ${issue.path.join('.')}: ${issue.message}` : `: ${(thrown as Error).message}`;
    throw new GradloomError('DATA_FORMAT', `${file} is no list of data sets${where}.`, {
      hint: 'Write it as assets/sources.json is written.',
      path: file,
      cause: thrown,
    });
  }
}

export async function recipeNamed(name: string): Promise<RecipeEntry> {
  const all = await readRecipes();
  const found = all.find((recipe) => recipe.name === name);
  if (found) return found;
  const names = all.map((recipe) => recipe.name);
  const near = nearest(name, names);
  throw new GradloomError('BAD_CALL', `There is no data set called ${name}.`, {
    hint: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `There are ${names.join(', ')}.`,
  });
}

export function recipeFolder(home: string, name: string): string {
  return join(home, 'data', name);
}

export async function listRecipes(home: string): Promise<Recipe[]> {
  const all = await readRecipes();
  return Promise.all(
    all.map(async ({ name, title, about, licence, files }) => ({
      name,
      title,
      about,
      licence,
      bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
      there: await isWhole(recipeFolder(home, name)),
    })),
  );
}

/** Whether a fetched folder still has all that was fetched. */
export async function isWhole(folder: string): Promise<boolean> {
  try {
    const { files } = markerSchema.parse(JSON.parse(await readFile(join(folder, markerName), 'utf8')));
    for (const { name, bytes } of files) if ((await stat(join(folder, name))).size !== bytes) return false;
    return true;
  } catch {
    return false;
  }
}
