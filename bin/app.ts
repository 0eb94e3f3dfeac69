import { join } from 'node:path';
import { buildConcurrently } from '#lib/build.ts';
import { loadSettings } from '#lib/settings/config-file.ts';
import { SettingsError } from '#lib/settings/validation.ts';

// While the builds run, load CDK, which takes a second.
const built = buildConcurrently();
const [{ App, Validations }, { AwsSolutionsChecks }, { GatewayStack }] = await Promise.all([
  import('aws-cdk-lib'),
  import('cdk-nag'),
  import('#lib/gateway-stack.ts'),
]);
await built;
const app = new App();
try {
  const settings = await loadSettings({
    context: app.node.getAllContext(),
    projectDirectory: join(import.meta.dirname, '..'),
    workingDirectory: process.cwd(),
  });
  new GatewayStack(app, settings.stackName, { settings });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
} catch (error) {
  // Operators need the line that names the invalid setting, not a stack trace.
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exit(1);
}
