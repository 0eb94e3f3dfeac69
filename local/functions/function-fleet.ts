/** All functions of the template, each in its own process. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalGatewayError } from '../local-gateway-error.ts';
import type { Run } from '../run.ts';
import type { LocalStack } from '../template/local-stack.ts';
import { readFunctionDefinitions } from './function-definitions.ts';
import { type HostedFunction, hostFunction } from './function-host.ts';
import { openFunctionLog } from './function-log.ts';

export interface FunctionFleet {
  byArn: ReadonlyMap<string, HostedFunction>;
  /** By a function's name, or its ARN with or without a qualifier. Throws when there is none. */
  find(nameOrArn: string): HostedFunction;
}

/** Environment variables that the local run sets over the template's, by the function's logical id. */
export type EnvironmentOverrides = ReadonlyMap<string, Record<string, string>>;

export async function startFunctions(parts: {
  run: Run;
  stack: LocalStack;
  awsEndpoint: string;
  overrides: EnvironmentOverrides;
}): Promise<FunctionFleet> {
  const { run, stack, awsEndpoint, overrides } = parts;
  const definitions = readFunctionDefinitions({
    ...stack.sources,
    resolve: stack.resolve,
    awsEndpoint,
    hostEnvironment: run.environment,
  });
  const logDirectory = openLogDirectory(run);
  const functions = definitions.map((definition) => {
    const environment = { ...definition.environment, ...overrides.get(definition.logicalId) };
    const log = openFunctionLog(join(logDirectory, `${definition.name}.log`), (line) =>
      run.log(`[${definition.name}] ${line}`),
    );
    return hostFunction({ ...definition, environment }, log);
  });
  run.resources.defer(async () => {
    await Promise.all(functions.map((hosted) => hosted.stop()));
  });
  await Promise.all(functions.map((hosted) => hosted.warmUp()));
  return {
    byArn: new Map(functions.map((hosted) => [hosted.definition.arn, hosted])),
    find(nameOrArn) {
      const found = functions.find(({ definition: { functionName, arn } }) =>
        [functionName, arn].some((name) => nameOrArn === name || nameOrArn.startsWith(`${name}:`)),
      );
      if (found === undefined) throw new LocalGatewayError(`The stack has no function ${nameOrArn}`);
      return found;
    },
  };
}

/** `logs` in the data folder; a run that keeps nothing deletes its own. */
function openLogDirectory({ storeDirectory, resources }: Run): string {
  if (storeDirectory !== undefined) return join(storeDirectory, 'logs');
  const directory = mkdtempSync(join(tmpdir(), 'gateway-logs-'));
  resources.defer(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
