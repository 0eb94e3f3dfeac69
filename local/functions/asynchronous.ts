/** Asynchronous invocations, with Lambda's retries: https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html */

import { randomUUID } from 'node:crypto';
import { hourMs, minuteMs } from '#lambdas/platform/duration.ts';
import { LocalGatewayError } from '../local-gateway-error.ts';
import type { LocalStack } from '../template/local-stack.ts';
import { assertSupportedProperties } from '../template/supported-properties.ts';
import { referencedId, resourcesOfType } from '../template/template.ts';
import { numberOr } from '../untyped-json.ts';
import type { HostedFunction } from './host.ts';

export interface AsynchronousSettings {
  /** After an error of the function. */
  maxRetries: number;
  maxEventAgeMs: number;
}

const defaultSettings: AsynchronousSettings = { maxRetries: 2, maxEventAgeMs: 6 * hourMs };

const supportedProperties = ['FunctionName', 'MaximumEventAgeInSeconds', 'MaximumRetryAttempts', 'Qualifier'];

/** Throws for settings that are not emulated: destinations, and those of an alias or a version. */
export function readAsynchronousSettings(
  { template }: Pick<LocalStack, 'template'>,
  functionId: string,
): AsynchronousSettings {
  const resource = resourcesOfType(template, 'AWS::Lambda::EventInvokeConfig').find(
    ({ properties }) => referencedId(properties.FunctionName) === functionId,
  );
  if (resource === undefined) return defaultSettings;
  const { logicalId, properties } = resource;
  assertSupportedProperties(properties, supportedProperties, logicalId);
  if (properties.Qualifier !== '$LATEST') {
    throw new LocalGatewayError(`${logicalId}.Qualifier: the local run supports only $LATEST`);
  }
  const number = (name: string, defaultValue: number) =>
    numberOr(defaultValue, properties[name], `${logicalId}.${name}`);
  const { maxRetries, maxEventAgeMs } = defaultSettings;
  return {
    maxRetries: number('MaximumRetryAttempts', maxRetries),
    maxEventAgeMs: 1000 * number('MaximumEventAgeInSeconds', maxEventAgeMs / 1000),
  };
}

interface AsynchronousInvocation {
  target: Pick<HostedFunction, 'definition' | 'invoke'>;
  /** Event as JSON. */
  event: string;
  settings: AsynchronousSettings;
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects when the local run stops. */
  wait(ms: number): Promise<void>;
  onError(message: string): void;
}

/** Lambda waits a minute before the first retry, and two before the second. */
const retryPauseMs = minuteMs;

const minThrottlePauseMs = 1000;
const maxThrottlePauseMs = 5 * minuteMs;

/** Resolves when the function has handled the event, or the event is discarded. */
export async function invokeAsynchronously(invocation: AsynchronousInvocation): Promise<void> {
  const { target, event, settings, now, wait, onError } = invocation;
  const { name } = target.definition;
  const receivedAtMs = now();
  const requestId = randomUUID();
  let errors = 0;
  let throttles = 0;
  for (;;) {
    const outcome = await target.invoke({ event, requestId });
    let pauseMs: number;
    if (outcome.kind === 'failed') {
      onError(`${name}: ${outcome.error.errorMessage}`);
      errors += 1;
      pauseMs = errors * retryPauseMs;
    } else if (outcome.kind === 'throttled') {
      throttles += 1;
      pauseMs = Math.min(2 ** (throttles - 1) * minThrottlePauseMs, maxThrottlePauseMs);
    } else {
      if (outcome.kind === 'streaming') outcome.body.resume();
      return;
    }
    if (errors > settings.maxRetries || now() + pauseMs - receivedAtMs > settings.maxEventAgeMs) {
      onError(`${name}: discarded an event after ${errors + throttles} attempts`);
      return;
    }
    await wait(pauseMs);
  }
}
