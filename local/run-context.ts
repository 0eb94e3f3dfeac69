import type { ServiceEvent } from './service-event.ts';

/** Settings and resources that all steps of the local run share. */
export interface RunContext {
  port: number;
  region: string;
  connectionFileDirectory: string | undefined;
  /** Directory of tables, queues and secrets; `undefined` when they are kept in memory. */
  storeDirectory: string | undefined;
  environment: NodeJS.ProcessEnv;
  /** The CDK context, for the synthesis. */
  context: Readonly<Record<string, string>>;
  assemblyDirectory: string | undefined;
  progress: (step: string) => void;
  log: (line: string) => void;
  observe: (event: ServiceEvent) => void;
  /** Applies the sign-up setting of the template, instead of letting anyone sign up. */
  signUpAsConfigured: boolean;
  /** Sends a small write of a response stream with the next one. */
  holdChunks: boolean;
  /** Tells functions that their caller has disconnected, which AWS does not. */
  reportDisconnects: boolean;
  /** Disposed when the gateway stops, in reverse order of creation. */
  resources: AsyncDisposableStack;
}
