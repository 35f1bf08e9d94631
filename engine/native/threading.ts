/** How libtorch's threads wait for each other: settings that must stand in the environment before libgomp is loaded. */

/**
 * The variables to add to an environment that says nothing of its own.
 *
 * libgomp's threads spin while they wait. Beside busy neighbours (a window that draws charts is one) a spinning thread takes the core
 * that the one it waits for would need. Without spinning it gives the core away at once; measured on two cores, that is two to ten
 * times as fast beside two busy processes, faster than a short spin of 1000, and alone on the machine nothing is lost.
 */
export function threadingEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  const chosen = ['GOMP_SPINCOUNT', 'OMP_WAIT_POLICY'].some((name) => environment[name] !== undefined);
  return chosen ? {} : { GOMP_SPINCOUNT: '0' };
}
