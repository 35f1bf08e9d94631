/** Known data sets that can be fetched: what each holds, its licence and size, and how far its fetching is. */
import { useEffect, useRef } from 'react';
import type { Recipe } from '../../engine/contract/data/recipes.ts';
import { fetching, fetchRecipe, useRecipes } from '../state/data-bringing.ts';
import { useProjectState } from '../state/project.ts';
import { Button, bytes, Dialog, ErrorNotice, goOnAt, Skeleton } from '../ui/index.ts';
import { FetchProgress } from './fetch-bar.tsx';
import classes from './start.module.css';

export function RecipesDialog({ onClose }: { onClose: () => void }) {
  const { recipes, error } = useRecipes(true);
  const work = fetching.use();
  const file = useProjectState((state) => state.file);
  const mine = work.key === file;
  const title = work.running ? work.what : null;
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const take = async (recipe: Recipe) => {
    // Whoever has gone on elsewhere stays there.
    if (!(await fetchRecipe(recipe)) || !isShown.current) return;
    onClose();
    goOnAt('[aria-label="Part shown"] input:checked');
  };
  return (
    <Dialog title="Fetch a data set" size={620} onClose={onClose}>
      <div className={classes.recipes}>
        {error && <ErrorNotice error={error} />}
        {mine && work.error && <ErrorNotice error={work.error} />}
        {recipes === null && !error && <Skeleton kind="rows" lines={5} />}
        {recipes?.map((recipe) => (
          <div key={recipe.name} className={classes.recipe}>
            <div className={classes.recipeText}>
              <h3 className={classes.title}>{recipe.title}</h3>
              <p>{recipe.about}</p>
              <p className={classes.quiet}>
                {`${bytes(recipe.bytes)} · ${recipe.licence}`}
                {recipe.there ? ' · in the workspace already' : ''}
              </p>
              {title === recipe.title && <FetchProgress progress={work.progress} />}
            </div>
            {title === recipe.title ? (
              <Button onClick={fetching.cancel}>Cancel</Button>
            ) : (
              <Button disabled={title !== null} onClick={() => void take(recipe)}>
                {recipe.there ? 'Use' : 'Fetch'}
              </Button>
            )}
          </div>
        ))}
        <p className={classes.quiet}>
          Files are checked against their checksums, and a fetch that was cancelled goes on where it stopped. The
          addresses are public mirrors that others keep; where one has moved, say where the files lie by “Choose a
          folder…”.
        </p>
      </div>
    </Dialog>
  );
}
