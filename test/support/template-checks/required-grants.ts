/**
 * Checks that the role of each function allows what Lambda does with it, and something on each resource that its environment
 * names. `test/integration/grants.test.ts` checks the calls of the functions themselves.
 */
import {
  decide,
  type Grant,
  matchesPattern,
  readRoleStatements,
  type Statement,
} from '#local/permissions/policies.ts';
import { referencedId } from '#local/template/template.ts';
import { asList, isObject, type JsonObject } from '#local/untyped-json.ts';
import { managedPolicyActions } from './managed-policies.ts';
import type { ResolvedTemplate } from './resolver.ts';
import { type Finding, resourcesOfType, type Template } from './template.ts';

interface Requirement extends Grant {
  functionId: string | undefined;
  /** Property from which the requirement follows. */
  path: string;
}

export function checkRequiredGrants(template: Template, resolved: ResolvedTemplate): Finding[] {
  const requirements = [
    ...functionRequirements(template, resolved),
    ...sourceRequirements(template, resolved),
  ];
  const missing = requirements.flatMap(({ functionId, path, ...grant }) => {
    const { roleId, statements } = readRole(template, resolved, functionId);
    if (decide(statements, grant) === 'allow') return [];
    return [`${path}: ${roleId} does not allow ${grant.action} on ${grant.resource}: grant it`];
  });
  return [...missing, ...checkVariables(template, resolved)];
}

interface Role {
  roleId: string;
  statements: Statement[];
}

function readRole(template: Template, resolved: ResolvedTemplate, functionId = ''): Role {
  const { localTemplate, resolve } = resolved;
  const roleId = referencedId(template.Resources[functionId]?.Properties?.Role) ?? '';
  const managed = asList(resolve(template.Resources[roleId]?.Properties?.ManagedPolicyArns)).map(
    (arn): Statement => ({
      effect: 'Allow',
      actions: managedPolicyActions(String(arn)) ?? [],
      resources: ['*'],
    }),
  );
  return { roleId, statements: [...managed, ...readRoleStatements(localTemplate, roleId, resolve)] };
}

function* functionRequirements(template: Template, { resolve }: ResolvedTemplate): Generator<Requirement> {
  for (const [functionId, properties] of resourcesOfType(template, 'AWS::Lambda::Function')) {
    const { LoggingConfig, TracingConfig, DeadLetterConfig } = properties;
    const path = `${functionId}.Properties`;
    const logGroup = isObject(LoggingConfig) ? referencedId(LoggingConfig.LogGroup) : undefined;
    if (logGroup !== undefined) {
      const groupArn = String(resolve({ 'Fn::GetAtt': [logGroup, 'Arn'] }));
      const resource = groupArn.replace(/\*$/, 'log-stream:label');
      for (const action of ['logs:CreateLogStream', 'logs:PutLogEvents'])
        yield { functionId, path: `${path}.LoggingConfig`, action, resource };
    }
    if (isObject(TracingConfig) && TracingConfig.Mode === 'Active') {
      for (const action of ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'])
        yield { functionId, path: `${path}.TracingConfig`, action, resource: '*' };
    }
    if (isObject(DeadLetterConfig)) {
      const resource = String(resolve(DeadLetterConfig.TargetArn));
      yield { functionId, path: `${path}.DeadLetterConfig`, action: deliveryAction(resource), resource };
    }
  }
}

/** By the service of the event source. */
const pollingActions: Record<string, string[]> = {
  // https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-eventsourcemapping.html
  dynamodb: ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'],
  // https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
  sqs: ['DeleteMessage', 'GetQueueAttributes', 'ReceiveMessage'],
};

/** Requirements of event source mappings, and of the destinations of asynchronous invocations. */
function* sourceRequirements(template: Template, { resolve }: ResolvedTemplate): Generator<Requirement> {
  for (const type of ['AWS::Lambda::EventSourceMapping', 'AWS::Lambda::EventInvokeConfig']) {
    for (const [logicalId, properties] of resourcesOfType(template, type)) {
      const functionId = functionOf(template, properties.FunctionName);
      const path = `${logicalId}.Properties`;
      if (properties.EventSourceArn !== undefined) {
        const source = String(resolve(properties.EventSourceArn));
        const [, , service = ''] = source.split(':');
        for (const name of pollingActions[service] ?? []) {
          const resource = name === 'ListStreams' ? '*' : source;
          yield { functionId, path: `${path}.EventSourceArn`, action: `${service}:${name}`, resource };
        }
      }
      for (const [name, destination] of destinationsOf(properties.DestinationConfig)) {
        const resource = String(resolve(destination.Destination));
        const action = deliveryAction(resource);
        yield { functionId, path: `${path}.DestinationConfig.${name}`, action, resource };
      }
    }
  }
}

function destinationsOf(config: unknown): [name: string, JsonObject][] {
  return Object.entries(isObject(config) ? config : {}).flatMap(([name, destination]) =>
    isObject(destination) ? [[name, destination] as [string, JsonObject]] : [],
  );
}

/** Returns the function of an alias, or the function itself. */
function functionOf(template: Template, reference: unknown): string | undefined {
  const id = referencedId(reference);
  const alias = template.Resources[id ?? ''];
  return alias?.Type === 'AWS::Lambda::Alias' ? referencedId(alias.Properties?.FunctionName) : id;
}

/** https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html */
function deliveryAction(destinationArn: string): string {
  const [, , service = ''] = destinationArn.split(':');
  const actions: Record<string, string> = {
    events: 'events:PutEvents',
    lambda: 'lambda:InvokeFunction',
    s3: 's3:PutObject',
    sns: 'sns:Publish',
    sqs: 'sqs:SendMessage',
  };
  return actions[service] ?? `${service}:delivery`;
}

const namedTypes = ['AWS::DynamoDB::Table', 'AWS::SecretsManager::Secret', 'AWS::SQS::Queue'];

/** A function that is told the name of a table, secret or queue calls it. */
function checkVariables(template: Template, resolved: ResolvedTemplate): Finding[] {
  return resourcesOfType(template, 'AWS::Lambda::Function').flatMap(([functionId, { Environment }]) => {
    const variables = isObject(Environment) && isObject(Environment.Variables) ? Environment.Variables : {};
    return Object.entries(variables).flatMap(([name, value]) => {
      const id = referencedId(value) ?? '';
      const type = template.Resources[id]?.Type ?? '';
      if (!namedTypes.includes(type)) return [];
      const attribute = type === 'AWS::SecretsManager::Secret' ? 'Id' : 'Arn';
      const arn = String(resolved.resolve({ 'Fn::GetAtt': [id, attribute] }));
      const { roleId, statements } = readRole(template, resolved, functionId);
      const isUsable = statements.some(({ effect, resources }) =>
        // All resources are granted only to actions without a resource.
        resources.some((resource) => effect === 'Allow' && resource !== '*' && matchesPattern(resource, arn)),
      );
      if (isUsable) return [];
      const path = `${functionId}.Properties.Environment.Variables.${name}`;
      return [`${path}: ${roleId} allows nothing on ${id}: grant what the function does, or remove it`];
    });
  });
}
