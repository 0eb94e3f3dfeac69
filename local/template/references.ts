/** Values of `Ref` and `Fn::GetAtt` for the resources of the local stack. */

import { localAccountId } from '../identities.ts';
import { asString } from '../untyped-json.ts';
import { type References, resolveIntrinsics } from './intrinsics.ts';
import type { Table } from './tables.ts';
import { type Resource, referencedId, type Template } from './template.ts';

export interface ReferenceSources {
  template: Template;
  region: string;
  tables: ReadonlyMap<string, Table>;
  awsOrigin: string;
  /** Origin of the local REST API, whose paths do not contain the stage. */
  restApiOrigin: string;
  functionUrlOrigin: string;
  /** Origin of the local distribution. */
  dashboardOrigin: string;
  /** Origin of the local user pool. */
  signInOrigin: string;
}

/** Templates use parts of it, for example to make a name unique. */
const stackUuid = '00000000-0000-0000-0000-000000000000';

interface Reference {
  ref: string;
  attributes: Record<string, string | undefined>;
}

export function createReferences(sources: ReferenceSources): References {
  const { template, region } = sources;
  const pseudoParameters: Record<string, string> = {
    'AWS::AccountId': localAccountId,
    'AWS::Partition': 'aws',
    'AWS::Region': region,
    'AWS::StackId': `arn:aws:cloudformation:${region}:${localAccountId}:stack/${template.stackName}/${stackUuid}`,
    'AWS::StackName': template.stackName,
    'AWS::URLSuffix': 'amazonaws.com',
  };
  const find = (logicalId: string): Reference | undefined => {
    const resource = template.resources.get(logicalId);
    return resource === undefined ? undefined : referenceOf(resource, sources, references);
  };
  const references: References = {
    ref: (name) => pseudoParameters[name] ?? template.parameters.get(name) ?? find(name)?.ref,
    attribute: (logicalId, attribute) => find(logicalId)?.attributes[attribute],
  };
  return references;
}

/** Returns the name of a resource for which the template specifies none. */
export function physicalName(template: Template, resource: Resource): string {
  return `${template.stackName}-${resource.logicalId}`;
}

export function functionArn(sources: ReferenceSources, resource: Resource): string {
  return `${arnPrefix('lambda', sources)}:function:${nameOf(sources, resource, 'FunctionName')}`;
}

/** `Ref` of any other type returns the logical id. */
const referencesByType: Record<
  string,
  (resource: Resource, sources: ReferenceSources, references: References) => Reference
> = {
  'AWS::ApiGateway::RestApi': ({ logicalId }) => ({
    ref: logicalId,
    attributes: { RootResourceId: `${logicalId}/root`, RestApiId: logicalId },
  }),
  'AWS::ApiGateway::Stage': ({ properties }) => ({ ref: String(properties.StageName), attributes: {} }),
  'AWS::CloudWatch::Alarm': (resource, sources) => {
    const name = nameOf(sources, resource, 'AlarmName');
    return { ref: name, attributes: { Arn: `${arnPrefix('cloudwatch', sources)}:alarm:${name}` } };
  },
  'AWS::CloudFront::Distribution': ({ logicalId }) => ({
    ref: logicalId,
    attributes: { DomainName: `${logicalId.toLowerCase()}.cloudfront.net`, Id: logicalId },
  }),
  'AWS::CloudFront::Function': ({ logicalId }) => {
    const arn = `arn:aws:cloudfront::${localAccountId}:function/${logicalId}`;
    return { ref: arn, attributes: { FunctionARN: arn } };
  },
  'AWS::CloudFront::OriginAccessControl': ({ logicalId }) => ({
    ref: logicalId,
    attributes: { Id: logicalId },
  }),
  'AWS::Cognito::UserPool': (_, sources) => {
    const id = `${sources.region}_local`;
    return {
      ref: id,
      attributes: {
        Arn: `${arnPrefix('cognito-idp', sources)}:userpool/${id}`,
        ProviderName: `cognito-idp.${sources.region}.amazonaws.com/${id}`,
        ProviderURL: sources.signInOrigin,
        UserPoolId: id,
      },
    };
  },
  'AWS::Cognito::UserPoolDomain': ({ logicalId, properties }, _, references) => ({
    ref: asString(resolveIntrinsics(properties.Domain, references), `${logicalId}.Domain`),
    attributes: {},
  }),
  'AWS::DynamoDB::Table': ({ logicalId }, { tables }) => {
    const table = tables.get(logicalId);
    return { ref: table?.name ?? logicalId, attributes: { Arn: table?.arn, StreamArn: table?.streamArn } };
  },
  'AWS::Events::Rule': (resource, sources) => {
    const name = nameOf(sources, resource, 'Name');
    return { ref: name, attributes: { Arn: `${arnPrefix('events', sources)}:rule/${name}` } };
  },
  'AWS::IAM::Role': (resource, sources) => {
    const name = nameOf(sources, resource, 'RoleName');
    return { ref: name, attributes: { Arn: `arn:aws:iam::${localAccountId}:role/${name}` } };
  },
  'AWS::Lambda::Alias': (resource, sources) => {
    const aliasArn = qualifiedArn(resource, String(resource.properties.Name), sources);
    return { ref: aliasArn, attributes: { AliasArn: aliasArn } };
  },
  'AWS::Lambda::Function': (resource, sources) => ({
    ref: nameOf(sources, resource, 'FunctionName'),
    attributes: { Arn: functionArn(sources, resource) },
  }),
  'AWS::Lambda::Url': ({ logicalId }, { functionUrlOrigin }) => ({
    ref: logicalId,
    attributes: { FunctionUrl: `${functionUrlOrigin}/` },
  }),
  'AWS::Lambda::Version': (resource, sources) => ({
    ref: qualifiedArn(resource, '1', sources),
    attributes: { Version: '1' },
  }),
  'AWS::Logs::LogGroup': (resource, sources) => {
    const name = nameOf(sources, resource, 'LogGroupName');
    return { ref: name, attributes: { Arn: `${arnPrefix('logs', sources)}:log-group:${name}:*` } };
  },
  'AWS::S3::Bucket': (resource, sources) => {
    const name = nameOf(sources, resource, 'BucketName').toLowerCase();
    return {
      ref: name,
      attributes: {
        Arn: `arn:aws:s3:::${name}`,
        DomainName: `${name}.s3.amazonaws.com`,
        RegionalDomainName: `${name}.s3.${sources.region}.amazonaws.com`,
      },
    };
  },
  'AWS::SNS::Topic': (resource, sources) => ({
    ref: `${arnPrefix('sns', sources)}:${nameOf(sources, resource, 'TopicName')}`,
    attributes: {},
  }),
  'AWS::SQS::Queue': (resource, sources) => {
    const name = nameOf(sources, resource, 'QueueName');
    return {
      // The URL must point to the local AWS endpoint, because the SDK sends requests to the queue's URL.
      ref: `${sources.awsOrigin}/${localAccountId}/${name}`,
      attributes: { Arn: `${arnPrefix('sqs', sources)}:${name}`, QueueName: name },
    };
  },
  'AWS::SecretsManager::Secret': (resource, sources) => {
    const arn = `${arnPrefix('secretsmanager', sources)}:secret:${nameOf(sources, resource, 'Name')}-local0`;
    return { ref: arn, attributes: { Id: arn } };
  },
};

function referenceOf(resource: Resource, sources: ReferenceSources, references: References): Reference {
  const reference = referencesByType[resource.type]?.(resource, sources, references);
  return reference ?? { ref: resource.logicalId, attributes: {} };
}

function arnPrefix(service: string, { region }: ReferenceSources): string {
  return `arn:aws:${service}:${region}:${localAccountId}`;
}

export function nameOf(sources: { template: Template }, resource: Resource, property: string): string {
  const name = resource.properties[property];
  return typeof name === 'string' ? name : physicalName(sources.template, resource);
}

/** Returns the ARN of a version or an alias, whose `FunctionName` refers to the function. */
function qualifiedArn(resource: Resource, qualifier: string, sources: ReferenceSources): string {
  const functionId = referencedId(resource.properties.FunctionName);
  const functionResource = sources.template.resources.get(functionId ?? '');
  return functionResource === undefined
    ? `${resource.logicalId}:${qualifier}`
    : `${functionArn(sources, functionResource)}:${qualifier}`;
}
