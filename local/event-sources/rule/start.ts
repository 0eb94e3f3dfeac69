/** Invokes functions for the events that match rules of EventBridge, and when scheduled rules are due. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ScheduledEvent } from 'aws-lambda';
import type { AwsServices } from '#local/aws/services.ts';
import {
  type AsynchronousSettings,
  invokeAsynchronously,
  readAsynchronousSettings,
} from '#local/functions/asynchronous.ts';
import type { FunctionFleet } from '#local/functions/fleet.ts';
import type { HostedFunction } from '#local/functions/host.ts';
import { localAccountId } from '#local/identities.ts';
import { LocalGatewayError, messageOf } from '#local/local-gateway-error.ts';
import type { InvokePermissions } from '#local/permissions/invoke-permissions.ts';
import type { RunContext } from '#local/run-context.ts';
import type { LocalStack } from '#local/template/local-stack.ts';
import { assertSupportedProperties } from '#local/template/supported-properties.ts';
import { nameWithoutHash, resourcesOfType } from '#local/template/template.ts';
import { asArray, asObject, asString, type JsonObject } from '#local/untyped-json.ts';
import { type EventFilter, readEventPattern } from '../event-pattern.ts';
import { readSchedule, type Schedule } from './schedule.ts';

interface RuleSources {
  run: Pick<RunContext, 'log' | 'region' | 'resources'>;
  stack: Pick<LocalStack, 'template' | 'resolve'>;
  functions: Pick<FunctionFleet, 'find'>;
  permissions: Pick<InvokePermissions, 'requireRule'>;
  aws: Pick<AwsServices, 'eventBridge'>;
}

export interface Rules {
  /** Invokes the targets of a scheduled rule. Resolves when they have ended. `rule` is its logical id without the hash. */
  runSchedule(rule: string, due: Date): Promise<void>;
}

interface Rule {
  logicalId: string;
  arn: string;
  /** `null` for a scheduled rule. */
  matches: EventFilter | null;
  /** `null` for a rule with an event pattern. */
  schedule: Schedule | null;
  targets: readonly RuleTarget[];
}

interface RuleTarget {
  target: HostedFunction;
  settings: AsynchronousSettings;
}

export function startRules(sources: RuleSources): Rules {
  const { run, stack, aws } = sources;
  const rules = resourcesOfType(stack.template, 'AWS::Events::Rule').map(({ logicalId, properties }) =>
    readRule(logicalId, asObject(stack.resolve(properties), logicalId), sources),
  );
  const stopping = new AbortController();
  run.resources.defer(() => stopping.abort());
  const log = (message: string) => {
    if (!stopping.signal.aborted) run.log(message);
  };
  const wait = (ms: number) => delay(ms, undefined, { signal: stopping.signal });

  async function invokeTargets({ targets }: Rule, event: object): Promise<void> {
    const invocations = targets.map(({ target, settings }) =>
      invokeAsynchronously({
        target,
        event: JSON.stringify(event),
        settings,
        now: Date.now,
        wait,
        onError: log,
        // Events that wait for a retry are lost when the local run stops.
      }).catch((error) => log(messageOf(error))),
    );
    await Promise.all(invocations);
  }

  async function runWhenDue(rule: Rule, schedule: Schedule): Promise<void> {
    for (;;) {
      const dueMs = schedule(Date.now());
      await wait(dueMs - Date.now());
      // The next run may be due before this one has ended.
      void invokeTargets(rule, scheduledEvent(rule, new Date(dueMs), run.region));
    }
  }

  for (const rule of rules) {
    if (rule.schedule !== null) runWhenDue(rule, rule.schedule).catch((error) => log(messageOf(error)));
  }
  aws.eventBridge.onEvent((event) => {
    for (const rule of rules) if (rule.matches?.(event)) void invokeTargets(rule, event);
  });
  return {
    async runSchedule(name, due) {
      const rule = rules.find(
        ({ logicalId, schedule }) => schedule !== null && nameWithoutHash(logicalId) === name,
      );
      if (rule === undefined) throw new LocalGatewayError(`The stack has no scheduled rule ${name}`);
      await invokeTargets(rule, scheduledEvent(rule, due, run.region));
    },
  };
}

/** https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-run-lambda-schedule.html */
function scheduledEvent(
  { arn }: Rule,
  due: Date,
  region: string,
): ScheduledEvent<Record<string, never>> & { version: string } {
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: localAccountId,
    time: due.toISOString().replace(/\.\d+/, ''),
    region,
    resources: [arn],
    detail: {},
  };
}

/** A retry policy has no effect here: EventBridge only hands events over to Lambda, which never fails locally. */
const targetProperties = ['Arn', 'Id', 'RetryPolicy'];

function readRule(logicalId: string, properties: JsonObject, sources: RuleSources): Rule {
  const supported = ['Description', 'EventPattern', 'Name', 'ScheduleExpression', 'State', 'Targets'];
  assertSupportedProperties(properties, supported, logicalId);
  const { State: state = 'ENABLED', EventPattern: pattern, ScheduleExpression: expression } = properties;
  if (state !== 'ENABLED')
    throw new LocalGatewayError(`${logicalId}: the local run supports only enabled rules`);
  if (pattern !== undefined && expression !== undefined)
    throw new LocalGatewayError(`${logicalId}: the local run supports no rule with a pattern and a schedule`);
  const arn = asString(sources.stack.resolve({ 'Fn::GetAtt': [logicalId, 'Arn'] }), logicalId);
  const schedulePath = `${logicalId}.ScheduleExpression`;
  return {
    logicalId,
    arn,
    matches: expression === undefined ? readEventPattern(pattern, `${logicalId}.EventPattern`) : null,
    schedule:
      expression === undefined ? null : readSchedule(asString(expression, schedulePath), schedulePath),
    targets: asArray(properties.Targets ?? [], `${logicalId}.Targets`).map((value, index) =>
      readTarget(value, { where: `${logicalId}.Targets[${index}]`, ruleArn: arn }, sources),
    ),
  };
}

function readTarget(
  value: unknown,
  { where, ruleArn }: { where: string; ruleArn: string },
  { stack, functions, permissions }: RuleSources,
): RuleTarget {
  const properties = asObject(value, where);
  assertSupportedProperties(properties, targetProperties, where);
  const target = functions.find(asString(properties.Arn, `${where}.Arn`));
  const { functionName, arn: functionArn } = target.definition;
  if (properties.Arn !== functionArn) {
    throw new LocalGatewayError(`${where}.Arn: the local run supports no alias as the target of a rule`);
  }
  permissions.requireRule({ functionName, functionArn, qualifier: undefined }, ruleArn);
  return { target, settings: readAsynchronousSettings(stack, target.definition.logicalId) };
}
