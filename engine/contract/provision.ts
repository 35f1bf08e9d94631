/** What an installed app's first start says while it fetches libtorch: from the process that does it to the window that shows it. */
export type ProvisionMessage =
  | { type: 'say'; text: string }
  /** `total`: null while unknown. */
  | { type: 'progress'; label: string; done: number; total: number | null }
  | { type: 'done' }
  | { type: 'failed'; message: string; hint: string };
