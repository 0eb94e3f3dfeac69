import { vi } from 'vitest';
import type { Terminal } from '#cli/terminal.ts';
import { type CommandResult, runInTerminal } from '#test/support/run-in-terminal.ts';
import type { DeploymentAccount } from './account.ts';
import { startAccount } from './server.ts';

/** Variables that would select another account than the fake one. `undefined` removes them. */
const noAwsVariables = {
  AWS_REGION: undefined,
  AWS_DEFAULT_REGION: undefined,
  AWS_PROFILE: undefined,
  AWS_ACCESS_KEY_ID: undefined,
  AWS_SECRET_ACCESS_KEY: undefined,
  AWS_SESSION_TOKEN: undefined,
};

export const credentials = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret-access-key' };

/** Runs a command in this process, whose variables the AWS SDK reads: tests of the same file must not run concurrently. */
export async function runInAccount(
  account: DeploymentAccount,
  run: (terminal: Terminal) => Promise<number>,
  variables: Record<string, string> = { ...credentials, AWS_REGION: 'eu-west-1' },
): Promise<CommandResult> {
  const server = await startAccount(account);
  const environment = { ...server.environment, ...variables };
  for (const [name, value] of Object.entries({ ...noAwsVariables, ...environment })) vi.stubEnv(name, value);
  try {
    return await runInTerminal(run, { environment });
  } finally {
    vi.unstubAllEnvs();
    await server.stop();
  }
}
