import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { GatewayStack } from '../lib/gateway-stack.ts';
import { readSettings } from '../lib/settings.ts';

const app = new App();
const settings = readSettings((name) => app.node.tryGetContext(name));

new GatewayStack(app, settings.stackName, { settings });
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
