/** Finds where two stacks in one account and region would meet: names that both give, and rules for events of the other. */
import { isDeepStrictEqual } from 'node:util';
import { type References, resolveIntrinsics } from '#local/template/intrinsics.ts';
import { asObject, isObject, type JsonObject } from '#local/untyped-json.ts';

export interface NamedTemplate {
  stackName: string;
  template: { Resources?: JsonObject; Outputs?: JsonObject };
}

/** Returns a line for each collision, none for stacks that can stand side by side. */
export function findCollisions(first: NamedTemplate, second: NamedTemplate): string[] {
  const taken = namesIn(first, '1');
  const common = [...namesIn(second, '2')].filter((name) => taken.has(name));
  return [
    ...common.map((name) => `${name} is in both stacks`),
    ...[first, second].flatMap((stack) => rulesForOtherStacks(stack)),
  ];
}

/** Names that are unique in the resource, the role, the API or the user pool to which they belong. */
const namesOfParts = new Set([
  'AWS::ApiGateway::Stage.StageName',
  'AWS::CloudWatch::Alarm.MetricName',
  'AWS::CloudWatch::Alarm.Name',
  'AWS::Cognito::UserPool.Name',
  'AWS::Cognito::UserPoolIdentityProvider.ProviderName',
  'AWS::DynamoDB::Table.AttributeName',
  'AWS::DynamoDB::Table.IndexName',
  'AWS::IAM::Policy.PolicyName',
  'AWS::Lambda::Alias.Name',
]);

/**
 * Returns the names that the template gives, such as `AWS::SQS::Queue.QueueName orders`. References to its own resources
 * contain `stackId`, so that they never collide.
 */
function namesIn({ stackName, template }: NamedTemplate, stackId: string): Set<string> {
  const references = referencesOf(stackName, stackId);
  const names = Object.values(template.Resources ?? {}).flatMap((value) => {
    const { Type: type, Properties: properties } = asObject(value, stackName);
    return valuesOfNames(properties).flatMap(([property, given]) => {
      const kind = `${type}.${property}`;
      return namesOfParts.has(kind)
        ? []
        : [`${kind} ${JSON.stringify(resolveIntrinsics(given, references))}`];
    });
  });
  const exports = Object.values(template.Outputs ?? {}).flatMap((value) => {
    const { Export } = asObject(value, stackName);
    return isObject(Export)
      ? [`Export.Name ${JSON.stringify(resolveIntrinsics(Export.Name, references))}`]
      : [];
  });
  return new Set([...names, ...exports]);
}

/** Returns properties at any depth whose values are names, such as `QueueName`, with unresolved values. */
function valuesOfNames(node: unknown): [property: string, value: unknown][] {
  if (Array.isArray(node)) return node.flatMap(valuesOfNames);
  if (!isObject(node)) return [];
  return Object.entries(node).flatMap(([property, value]) => {
    if (property === 'Aliases' && Array.isArray(value))
      return value.map((alias): [string, unknown] => [property, alias]);
    return /(?:Name|Domain)$/.test(property) ? [[property, value]] : valuesOfNames(value);
  });
}

function referencesOf(stackName: string, stackId: string): References {
  const [account, region] = ['111122223333', 'eu-central-1'];
  const uuid = `${stackId}0000000-0000-0000-0000-000000000000`;
  const pseudoParameters: Record<string, string> = {
    'AWS::AccountId': account,
    'AWS::Partition': 'aws',
    'AWS::Region': region,
    'AWS::StackId': `arn:aws:cloudformation:${region}:${account}:stack/${stackName}/${uuid}`,
    'AWS::StackName': stackName,
    'AWS::URLSuffix': 'amazonaws.com',
  };
  return {
    ref: (name) => pseudoParameters[name] ?? `${stackId}/${name}`,
    attribute: (logicalId, attribute) => `${stackId}/${logicalId}.${attribute}`,
  };
}

/** Events of AWS services do not name stacks; those of the gateways have the name in `detail.stack`. */
function rulesForOtherStacks({ stackName, template }: NamedTemplate): string[] {
  const references = referencesOf(stackName, stackName);
  return Object.entries(template.Resources ?? {}).flatMap(([logicalId, value]) => {
    const { Type: type, Properties: properties } = asObject(value, logicalId);
    if (type !== 'AWS::Events::Rule') return [];
    const { EventBusName: bus = 'default', EventPattern } = asObject(properties, logicalId);
    if (bus !== 'default' || EventPattern === undefined) return [];
    const { source, detail } = asObject(resolveIntrinsics(EventPattern, references), logicalId);
    const isOfAws = Array.isArray(source) && source.every((name) => String(name).startsWith('aws.'));
    const stack = isObject(detail) ? detail.stack : undefined;
    return isOfAws || isDeepStrictEqual(stack, [stackName])
      ? []
      : [`${stackName}: the rule ${logicalId} also matches events of other stacks`];
  });
}
