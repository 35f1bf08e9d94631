/** How libtorch's threads wait for each other: settings that must stand in the environment before libgomp is loaded. */

/**
 * The variables to add to an environment that says nothing of its own.
 *
 * libgomp's threads spin while they wait. Beside a busy neighbour a spinning thread takes the core that the one it waits for would need.
 * Measured on two cores, samples a second of the digits perceptron, without spin / with a spin of 1000 / 20,000 and more: alone on the
 * machine 72k / 108k / 111k to 120k; beside a window that draws (a third of a core) 65k / 83k; beside one busy loop 65k / 48k; beside two
 * 37k / 19k. A short spin is best in what is usual here, and far from libgomp's own default where it is not.
 */
export function threadingEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  const chosen = ['GOMP_SPINCOUNT', 'OMP_WAIT_POLICY'].some((name) => environment[name] !== undefined);
  return chosen ? {} : { GOMP_SPINCOUNT: '1000' };
}
