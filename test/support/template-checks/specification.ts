/** CloudFormation's resource types, with their properties and attributes, from the database that generates CDK's constructs. */
import { loadAwsServiceSpec } from '@aws-cdk/aws-service-spec';
import type { DefinitionReference, PropertyType, ResourceProperties } from '@aws-cdk/service-spec-types';

interface ResourceType {
  properties: ResourceProperties;
  /** Values that `Fn::GetAtt` returns, by name. */
  attributes: Record<string, unknown>;
  /** With variables, such as `arn:${Partition}:sqs:${Region}:${Account}:${QueueName}`. */
  arnTemplate?: string;
}

export type { PropertyType, ResourceProperties };

export interface Specification {
  findType(name: string): ResourceType | undefined;
  propertiesOf(reference: DefinitionReference): ResourceProperties;
}

let loading: Promise<Specification> | undefined;

/** Takes a second of processor time the first time in a process. */
export function loadSpecification(): Promise<Specification> {
  loading ??= loadAwsServiceSpec().then((database) => ({
    findType: (name) => database.lookup('resource', 'cloudFormationType', 'equals', name)[0],
    propertiesOf: ({ reference }) => database.get('typeDefinition', reference).properties,
  }));
  return loading;
}
