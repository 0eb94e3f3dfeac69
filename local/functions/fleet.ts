/** Hosts all functions of the template. Each gets a separate process when it is first invoked. */

import { minuteMs } from '#lambdas/platform/duration.ts';
import { LocalGatewayError } from '../local-gateway-error.ts';
import type { RunContext } from '../run-context.ts';
import type { LocalStack } from '../template/local-stack.ts';
import { readFunctionDefinitions } from './definitions.ts';
import type { EnvironmentOverrides } from './environment-overrides.ts';
import { type HostedFunction, hostFunction } from './host.ts';
import { type FunctionLog, openFunctionLog } from './log.ts';
import { logFileOf } from './log-directory.ts';

export interface FunctionFleet {
  byArn: ReadonlyMap<string, HostedFunction>;
  /** Finds a function by its name, or its ARN with or without a qualifier. Throws when it does not exist. */
  find(nameOrArn: string): HostedFunction;
  processes(): FunctionProcess[];
  /** Reports the lines that have been written so far. */
  flushLogs(): void;
  /** All environment variables of each function's processes. */
  environments(): Record<string, string>[];
}

export interface FunctionProcess {
  functionName: string;
  processId: number;
}

/** Lambda ends idle environments after a time that it does not document: usually 5 to 7 minutes. */
const idleTimeoutMs = 5 * minuteMs;

export function hostFunctions(options: {
  run: RunContext;
  stack: LocalStack;
  awsEndpoint: string;
  overrides: EnvironmentOverrides;
  logDirectory: string;
  /** Called with each line of a function's log. */
  readLine: (line: string) => void;
}): FunctionFleet {
  const { run, stack, awsEndpoint, overrides, logDirectory, readLine } = options;
  const definitions = readFunctionDefinitions({
    ...stack.sources,
    resolve: stack.resolve,
    awsEndpoint,
    hostEnvironment: run.environment,
  });
  const logs: FunctionLog[] = [];
  const functions = definitions.map((definition) => {
    const environment = {
      ...definition.environment,
      ...overrides.get(definition.logicalId),
      ...(run.holdChunks && { LOCAL_HOLD_CHUNKS: '1' }),
    };
    const log = openFunctionLog(logFileOf(logDirectory, definition.logicalId), (line) => {
      readLine(line);
      run.observe({ kind: 'line written', functionName: definition.name, line });
      run.log(`[${definition.name}] ${line}`);
    });
    logs.push(log);
    return hostFunction({ ...definition, environment }, { log, observe: run.observe, idleTimeoutMs });
  });
  run.resources.defer(async () => {
    await Promise.all(functions.map((hosted) => hosted.stop()));
  });
  return {
    byArn: new Map(functions.map((hosted) => [hosted.definition.arn, hosted])),
    find(nameOrArn) {
      const found = functions.find(({ definition: { functionName, arn } }) =>
        [functionName, arn].some((name) => nameOrArn === name || nameOrArn.startsWith(`${name}:`)),
      );
      if (found === undefined) throw new LocalGatewayError(`The stack has no function ${nameOrArn}`);
      return found;
    },
    flushLogs() {
      for (const log of logs) log.flush();
    },
    processes: () =>
      functions.flatMap(({ definition: { functionName }, processIds }) =>
        processIds().map((processId) => ({ functionName, processId })),
      ),
    environments: () => functions.map(({ definition }) => definition.environment),
  };
}
