/** How libtorch's threads wait for each other: settings that must stand in the environment before libgomp is loaded. */

/**
 * The variables to add to an environment that says nothing of its own.
 *
 * libgomp's threads spin while they wait. Beside busy neighbours (a window that draws charts is one) a spinning thread takes the core
 * that the one it waits for would need; without spinning it gives the core away at once. Measured on two cores beside compilers at
 * work, training was 4 (convolutions) to 20 times (perceptron) as fast as by default; beside two busy loops it was faster than with
 * a short spin of 1000; alone on the machine there was no difference.
 */
export function threadingEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  const chosen = ['GOMP_SPINCOUNT', 'OMP_WAIT_POLICY'].some((name) => environment[name] !== undefined);
  return chosen ? {} : { GOMP_SPINCOUNT: '0' };
}
