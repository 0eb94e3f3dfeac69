/** Synthesizes the gateway without bundles, and renders template values as readable text for assertions. */

import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { GatewayStack } from '#lib/gateway-stack.ts';
import { type GatewayConfig, parseSettings } from '#lib/settings/settings.ts';
import { recordTemplate } from '#test/support/template-checks/recorded-templates.ts';
import cdkConfiguration from '../../cdk.json' with { type: 'json' };

interface Resource {
  Type: string;
  Properties: Record<string, unknown>;
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
  DependsOn?: string[];
  Metadata: { 'aws:cdk:path': string };
}

interface PolicyStatement {
  Effect: string;
  Action: string | string[];
  Resource: unknown;
}

type Resources = Record<string, Resource>;

/** Records each template for the check after the tests of the file. */
class RecordingApp extends App {
  /** By the name of the stack. */
  readonly configs = new Map<string, GatewayConfig>();

  override synth(...options: Parameters<App['synth']>): ReturnType<App['synth']> {
    const assembly = super.synth(...options);
    for (const { stackName, template } of assembly.stacks)
      recordTemplate({ settings: this.configs.get(stackName) ?? {}, template });
    return assembly;
  }
}

/** Set `validate` to run the CloudFormation validation, which takes seconds. Its findings make `synth` fail. */
export function createApp({ validate }: { validate: boolean }): RecordingApp {
  return new RecordingApp({
    builtinCloudFormationValidation: validate,
    treeMetadata: false,
    context: {
      ...cdkConfiguration.context,
      'aws:cdk:bundling-stacks': [],
      'aws:cdk:enable-path-metadata': true,
    },
  });
}

export function createGateway(config: GatewayConfig = {}, app = createApp({ validate: false })) {
  const settings = parseSettings(config);
  app.configs.set(settings.stackName, config);
  return { app, stack: new GatewayStack(app, settings.stackName, { settings }) };
}

export type Gateway = ReturnType<typeof synthesize>;

/** By the settings, as JSON. */
const synthesized = new Map<string, Gateway>();

/** A synthesis takes half a second: all tests of a process share that of the same settings, and change nothing in it. */
export function synthesizeGateway(config: GatewayConfig = {}): Gateway {
  const key = JSON.stringify(config);
  const gateway = synthesized.get(key) ?? synthesize(config);
  synthesized.set(key, gateway);
  return gateway;
}

function synthesize(config: GatewayConfig) {
  const template = Template.fromStack(createGateway(config).stack);
  const resources: Resources = template.toJSON().Resources;
  const readable = (value: unknown) => render(resources, value);
  const ofType = (type: string) =>
    Object.values(resources)
      .filter((resource) => resource.Type === type)
      .map((resource) => ({ path: pathOf(resource), resource }));

  return {
    template,
    ofType,
    /** Returns the resource of a construct, by its path in the stack, such as `Chat/Function`. */
    resource: (path: string) => findByPath(resources, path),
    /** Renders a value as text with paths instead of references: `{"Fn::GetAtt": [id, "Arn"]}` becomes `path.Arn`. */
    readable,
    readableValues: (values: unknown) =>
      Object.fromEntries(
        Object.entries(values as Record<string, unknown>).map(([name, value]) => [name, readable(value)]),
      ),
    /** Returns all permissions of a function's role as sorted lines `action on resource`. */
    permissionsOf: (functionPath: string) => permissionsOf(resources, functionPath),
  };
}

function permissionsOf(resources: Resources, functionPath: string): string[] {
  const role = render(resources, findByPath(resources, functionPath).Properties.Role).replace(/\.Arn$/, '');
  const { Properties } = findByPath(resources, role);
  if ('ManagedPolicyArns' in Properties || 'Policies' in Properties) {
    throw new Error(`${role} has managed or inline policies`);
  }
  return Object.values(resources)
    .filter(({ Type }) => Type === 'AWS::IAM::Policy')
    .filter((policy) => render(resources, policy.Properties.Roles) === role)
    .flatMap((policy) => (policy.Properties.PolicyDocument as { Statement: PolicyStatement[] }).Statement)
    .flatMap((statement) => permissionLines(resources, statement))
    .sort();
}

function permissionLines(
  resources: Resources,
  { Effect, Action, Resource, ...rest }: PolicyStatement,
): string[] {
  if (Effect !== 'Allow' || Object.keys(rest).length > 0) {
    throw new Error(`Unsupported policy statement: ${JSON.stringify({ Effect, Action, Resource, ...rest })}`);
  }
  const targets = [Resource].flat().map((resource) => render(resources, resource));
  return [Action].flat().flatMap((action) => targets.map((target) => `${action} on ${target}`));
}

function render(resources: Resources, value: unknown): string {
  const renderPart = (part: unknown) => render(resources, part);
  if (Array.isArray(value)) return value.map(renderPart).join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  if ('Ref' in value) return nameOf(resources, String(value.Ref));
  if ('Fn::GetAtt' in value) {
    const [id, attribute] = value['Fn::GetAtt'] as [string, string];
    return `${nameOf(resources, id)}.${attribute}`;
  }
  if ('Fn::Join' in value) {
    const [delimiter, parts] = value['Fn::Join'] as [string, unknown[]];
    return parts.map(renderPart).join(delimiter);
  }
  if ('Fn::Sub' in value) {
    return String(value['Fn::Sub']).replace(/\$\{([^}]+)\}/g, (_, id) => nameOf(resources, id));
  }
  if ('Fn::Split' in value) {
    const [delimiter, text] = value['Fn::Split'] as [string, unknown];
    return `${renderPart(text)} split at ${delimiter}`;
  }
  if ('Fn::Select' in value) {
    const [index, list] = value['Fn::Select'] as [number, unknown];
    return `part ${index} of (${renderPart(list)})`;
  }
  throw new Error(`Unsupported template value: ${JSON.stringify(value)}`);
}

/** Pseudo parameters such as `AWS::Region` keep their names. */
function nameOf(resources: Resources, logicalId: string): string {
  const resource = resources[logicalId];
  return resource === undefined ? logicalId : pathOf(resource);
}

function findByPath(resources: Resources, path: string): Resource {
  const found = Object.values(resources).find((resource) => pathOf(resource) === path);
  if (found === undefined) throw new Error(`The template has no resource at ${path}`);
  return found;
}

function pathOf(resource: Resource): string {
  return resource.Metadata['aws:cdk:path'].replace(/^[^/]+\//, '').replace(/\/Resource$/, '');
}
