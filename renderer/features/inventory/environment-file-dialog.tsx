import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { stringify } from 'yaml';
import { pluginIds, type PluginId, type Side } from '../../../shared/model/plugin-id.ts';
import type { Vm } from '../../../shared/model/vm.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import { useAction } from '../../app/use-action.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { saveFile } from '../../components/save-file.ts';
import { pluginTitle, text } from '../../text/text.ts';
import { startingDocument } from '../../forms/environment/starting-document.ts';

/** Makes an environment file for a machine that no endpoint has to know. */
export function EnvironmentFileDialog({ vm, onClose }: { readonly vm: Vm; readonly onClose: () => void }) {
  const [source, setSource] = useState<PluginId>('virtualization-platform');
  const [destination, setDestination] = useState<PluginId>('european-cloud');
  const save = useAction(async () => {
    saveFile(
      `${vm.name}.yaml`,
      stringify({ vm }) + startingDocument(vm, { source, destination }, undefined),
      'application/yaml',
    );
    onClose();
    return Promise.resolve();
  });
  return (
    <ConfirmDialog
      title={text.inventory.documentTitle(vm.name)}
      confirm={text.inventory.download}
      action={save}
      onClose={onClose}
    >
      <Typography sx={{ color: 'text.secondary' }}>{text.inventory.documentLead}</Typography>
      <PluginField side="source" label={text.inventory.documentSource} value={source} onChange={setSource} />
      <PluginField
        side="destination"
        label={text.inventory.documentDestination}
        value={destination}
        onChange={setDestination}
      />
    </ConfirmDialog>
  );
}

interface FieldProps {
  readonly side: Side;
  readonly label: string;
  readonly value: PluginId;
  readonly onChange: (plugin: PluginId) => void;
}

function PluginField({ side, label, value, onChange }: FieldProps) {
  return (
    <TextField
      select
      size="small"
      label={label}
      value={value}
      onChange={(event) => onChange(event.target.value as PluginId)}
    >
      {pluginIds
        .filter((id) => plugins[id][side] !== undefined)
        .map((id) => (
          <MenuItem key={id} value={id}>
            {pluginTitle(plugins[id])}
          </MenuItem>
        ))}
    </TextField>
  );
}
