// Starts `stormproof lsp`, which does the work, and opens files in the studio.
const { commands, window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

const command = () => workspace.getConfiguration("stormproof").get("command");

async function openInStudio() {
  const document = window.activeTextEditor?.document;
  if (document?.languageId !== "storm") return;
  // The studio reads the file, so what is typed must be in it.
  if (document.isUntitled || !(await document.save())) {
    window.showInformationMessage("Save the file first: the studio opens it from disk.");
    return;
  }
  // No shell in between: the name of the file may contain anything.
  window.createTerminal({ name: "stormproof studio", shellPath: command(), shellArgs: ["studio", document.fileName] }).show();
}

exports.activate = async (context) => {
  context.subscriptions.push(commands.registerCommand("stormproof.openInStudio", openInStudio));
  client = new LanguageClient("stormproof", "stormproof", { command: command(), args: ["lsp"] }, { documentSelector: [{ language: "storm" }] });
  try {
    await client.start();
  } catch {
    window.showErrorMessage(`'${command()} lsp' cannot be started. Install it with: pip install 'stormproof[lsp]', or set stormproof.command.`);
  }
};

exports.deactivate = () => client?.stop();
