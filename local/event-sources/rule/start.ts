/** Invokes functions for the events that match rules of EventBridge. */
import { setTimeout as delay } from 'node:timers/promises';
import type { AwsServices } from '#local/aws/services.ts';
import {
  type AsynchronousSettings,
  invokeAsynchronously,
  readAsynchronousSettings,
} from '#local/functions/asynchronous.ts';
import type { FunctionFleet } from '#local/functions/fleet.ts';
import type { HostedFunction } from '#local/functions/host.ts';
import type { InvokePermissions } from '#local/http/invoke-permissions.ts';
import { LocalGatewayError, messageOf } from '#local/local-gateway-error.ts';
import type { RunContext } from '#local/run-context.ts';
import type { LocalStack } from '#local/template/local-stack.ts';
import { assertSupportedProperties } from '#local/template/supported-properties.ts';
import { resourcesOfType } from '#local/template/template.ts';
import { asArray, asObject, asString, type JsonObject } from '#local/untyped-json.ts';
import { type EventFilter, readEventPattern } from '../event-pattern.ts';

export interface RuleSources {
  run: Pick<RunContext, 'log' | 'resources'>;
  stack: Pick<LocalStack, 'template' | 'resolve'>;
  functions: Pick<FunctionFleet, 'find'>;
  permissions: Pick<InvokePermissions, 'requireRule'>;
  aws: Pick<AwsServices, 'eventBridge'>;
}

interface Rule {
  matches: EventFilter;
  targets: readonly RuleTarget[];
}

interface RuleTarget {
  target: HostedFunction;
  settings: AsynchronousSettings;
}

export function startRules(sources: RuleSources): void {
  const { run, stack, aws } = sources;
  const rules = resourcesOfType(stack.template, 'AWS::Events::Rule').map(({ logicalId, properties }) =>
    readRule(logicalId, asObject(stack.resolve(properties), logicalId), sources),
  );
  const stopping = new AbortController();
  run.resources.defer(() => stopping.abort());
  const log = (message: string) => {
    if (!stopping.signal.aborted) run.log(message);
  };
  aws.eventBridge.onEvent((event) => {
    const targets = rules.flatMap((rule) => (rule.matches(event) ? rule.targets : []));
    for (const { target, settings } of targets) {
      invokeAsynchronously({
        target,
        event: JSON.stringify(event),
        settings,
        now: Date.now,
        wait: (ms) => delay(ms, undefined, { signal: stopping.signal }),
        onError: log,
        // Events that wait for a retry are lost when the local run stops.
      }).catch((error) => log(messageOf(error)));
    }
  });
}

/** A retry policy has no effect here: EventBridge only hands events over to Lambda, which never fails locally. */
const targetProperties = ['Arn', 'Id', 'RetryPolicy'];

function readRule(logicalId: string, properties: JsonObject, sources: RuleSources): Rule {
  const supported = ['Description', 'EventPattern', 'Name', 'State', 'Targets'];
  assertSupportedProperties(properties, supported, logicalId);
  const { State: state = 'ENABLED', EventPattern: pattern } = properties;
  if (state !== 'ENABLED')
    throw new LocalGatewayError(`${logicalId}: the local run supports only enabled rules`);
  const ruleArn = asString(sources.stack.resolve({ 'Fn::GetAtt': [logicalId, 'Arn'] }), logicalId);
  return {
    matches: readEventPattern(pattern, `${logicalId}.EventPattern`),
    targets: asArray(properties.Targets ?? [], `${logicalId}.Targets`).map((value) =>
      readTarget(asObject(value, `${logicalId}.Targets`), { logicalId, ruleArn }, sources),
    ),
  };
}

function readTarget(
  properties: JsonObject,
  { logicalId, ruleArn }: { logicalId: string; ruleArn: string },
  { stack, functions, permissions }: RuleSources,
): RuleTarget {
  assertSupportedProperties(properties, targetProperties, `${logicalId}.Targets`);
  const target = functions.find(asString(properties.Arn, `${logicalId}.Targets: Arn`));
  const { functionName, arn: functionArn } = target.definition;
  if (properties.Arn !== functionArn) {
    throw new LocalGatewayError(`${logicalId}: the local run supports no alias as the target of a rule`);
  }
  permissions.requireRule({ functionName, functionArn, qualifier: undefined }, ruleArn);
  return { target, settings: readAsynchronousSettings(stack, target.definition.logicalId) };
}
