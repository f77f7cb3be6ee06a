// Starts dlc-lsp for IR text, and shows what its command 'dlc.lower' gives in a new editor.

const { window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = async function () {
  const server = { command: workspace.getConfiguration("dlc").get("server") };
  client = new LanguageClient("dlc", "dlc", server, {
    documentSelector: [{ language: "dlc" }],
    middleware: {
      executeCommand: async (command, args, next) => {
        const result = await next(command, args);
        if (result && result.error) {
          window.showErrorMessage(result.error);
        } else if (result && result.text !== undefined) {
          window.showTextDocument(await workspace.openTextDocument({ language: "dlc", content: result.text }));
        }
        return result;
      },
    },
  });
  await client.start();
};

exports.deactivate = () => client && client.stop();
