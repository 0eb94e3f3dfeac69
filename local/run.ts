/** What the steps of the start share. */
export interface Run {
  port: number;
  region: string;
  /** Where the facts are written; `undefined` for nowhere. */
  factsDirectory: string | undefined;
  /** Where data is kept; `undefined` keeps it in memory. */
  storeDirectory: string | undefined;
  environment: NodeJS.ProcessEnv;
  assemblyDirectory: string | undefined;
  progress: (step: string) => void;
  log: (line: string) => void;
  /** What is to be stopped, the last one first. */
  resources: AsyncDisposableStack;
}
