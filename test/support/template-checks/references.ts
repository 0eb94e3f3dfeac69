/** Checks that each reference has a target: `Ref`, `Fn::GetAtt`, `Fn::Sub` and `DependsOn`. Also checks retention policies. */
import { asList, isObject, type JsonObject } from '#local/untyped-json.ts';
import type { Specification } from './specification.ts';
import { type Finding, type Template, visitObjects } from './template.ts';

// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/pseudo-parameter-reference.html
const pseudoParameters = new Set(
  [
    'AccountId',
    'NotificationARNs',
    'NoValue',
    'Partition',
    'Region',
    'StackId',
    'StackName',
    'URLSuffix',
  ].map((name) => `AWS::${name}`),
);

/**
 * Without `Snapshot`, which none of the gateway's resource types supports.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-deletionpolicy.html
 */
const retentionPolicies = {
  DeletionPolicy: ['Delete', 'Retain', 'RetainExceptOnCreate'],
  UpdateReplacePolicy: ['Delete', 'Retain'],
};

export function checkReferences(template: Template, specification: Specification): Finding[] {
  const findings: Finding[] = [];
  const check = (object: JsonObject, path: string) => {
    for (const { logicalId, attribute } of referencesIn(object)) {
      const problem = problemOf(template, specification, logicalId, attribute);
      if (problem !== undefined) findings.push(`${path}: ${problem}`);
    }
  };
  visitObjects(template.Outputs, 'Outputs', check);
  for (const [logicalId, resource] of Object.entries(template.Resources)) {
    visitObjects(resource.Properties, `${logicalId}.Properties`, check);
    for (const dependency of asList(resource.DependsOn).map(String)) {
      if (template.Resources[dependency] !== undefined) continue;
      findings.push(`${logicalId}.DependsOn: there is no resource ${dependency}: correct its name`);
    }
    for (const [name, allowed] of Object.entries(retentionPolicies)) {
      const value = resource[name as keyof typeof retentionPolicies];
      if (value === undefined || allowed.includes(value)) continue;
      findings.push(`${logicalId}.${name}: is ${value}: set it to one of ${allowed.join(', ')}`);
    }
  }
  return findings;
}

interface Reference {
  logicalId: string;
  /** `undefined` for `Ref`. */
  attribute: string | undefined;
}

function referencesIn(object: JsonObject): Reference[] {
  const names: string[] = [];
  if (typeof object.Ref === 'string') return [{ logicalId: object.Ref, attribute: undefined }];
  if (object['Fn::GetAtt'] !== undefined) names.push(asList(object['Fn::GetAtt']).join('.'));
  const [text, variables] = asList(object['Fn::Sub']);
  if (typeof text === 'string') {
    const placeholders = [...text.matchAll(/\$\{([^!}][^}]*)\}/g)].map(([, name = '']) => name);
    names.push(...placeholders.filter((name) => !isObject(variables) || variables[name] === undefined));
  }
  return names.map((name) => {
    const [logicalId = '', ...attribute] = name.split('.');
    return { logicalId, attribute: attribute.length === 0 ? undefined : attribute.join('.') };
  });
}

function problemOf(
  template: Template,
  specification: Specification,
  logicalId: string,
  attribute: string | undefined,
): string | undefined {
  if (attribute === undefined && (pseudoParameters.has(logicalId) || template.Parameters?.[logicalId]))
    return;
  const resource = template.Resources[logicalId];
  if (resource === undefined) return `there is no resource or parameter ${logicalId}: correct its name`;
  const attributes = specification.findType(resource.Type)?.attributes;
  // The function of a custom resource alone defines its attributes.
  if (attribute === undefined || attributes === undefined || attributes[attribute] !== undefined) return;
  const known = Object.keys(attributes).sort().join(', ');
  return `${resource.Type} ${logicalId} has no attribute ${attribute}: use one of ${known}`;
}
