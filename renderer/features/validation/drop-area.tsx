import UploadFileIcon from '@mui/icons-material/UploadFileOutlined';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useRef, useState, type DragEvent } from 'react';
import { text } from '../../text/en.ts';
import { droppedFiles } from './dropped-files.ts';

const accepted = '.yaml,.yml,.json,.jsonc';

/** Takes files by dropping (folders too) or by choosing. */
export function DropArea({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);
  const drop = async (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    onFiles(await droppedFiles(event.dataTransfer));
  };
  return (
    <Box
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => void drop(event)}
      sx={{
        border: 2,
        borderStyle: 'dashed',
        borderColor: isOver ? 'primary.main' : 'divider',
        bgcolor: isOver ? 'action.hover' : 'transparent',
        borderRadius: 2,
        p: 4,
        textAlign: 'center',
      }}
    >
      <UploadFileIcon color="action" sx={{ fontSize: 40 }} aria-hidden />
      <Typography sx={{ mb: 2 }}>{text.validation.drop}</Typography>
      <Button variant="contained" onClick={() => input.current?.click()}>
        {text.validation.choose}
      </Button>
      <input
        ref={input}
        type="file"
        accept={accepted}
        multiple
        hidden
        aria-label={text.validation.choose}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
    </Box>
  );
}
