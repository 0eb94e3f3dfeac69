import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import { type SnippetOperation, snippetOperations } from './snippets.ts';

const titles: Record<SnippetOperation, string> = {
  'chat.completions': 'Chat',
  embeddings: 'Embeddings',
  messages: 'Agents',
};

interface OperationSwitchProps {
  value: SnippetOperation;
  onValueChange: (operation: SnippetOperation) => void;
}

/** A choice between the operations that the code can show. */
export function OperationSwitch({ value, onValueChange }: OperationSwitchProps) {
  return (
    <RadioGroup
      aria-label="Operation"
      value={value}
      onValueChange={(operation) => onValueChange(operation)}
      className="flex rounded-lg border border-control bg-canvas p-0.5"
    >
      {snippetOperations.map((operation) => (
        <Radio.Root
          key={operation}
          value={operation}
          className="cursor-pointer rounded-md px-2.5 py-0.5 text-[0.8125rem]/5 font-medium text-muted transition-colors select-none hover:text-text data-checked:bg-raised data-checked:text-text data-checked:shadow-card"
        >
          {titles[operation]}
        </Radio.Root>
      ))}
    </RadioGroup>
  );
}
