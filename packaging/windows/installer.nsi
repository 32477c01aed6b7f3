; The installer for Windows, for one user, without elevated rights. packaging/build runs makensis with
;   VERSION   the version, three numbers
;   SOURCE    the folder to install
;   ICON      the icon of the installer
;   FILES     the list of commands that delete what was installed
;   OUTPUT    the installer to write
;
; Setup.exe /S [/D=FOLDER]            installs or upgrades without questions; /D comes last, unquoted
; uninstall.exe /S [/DELETERUNS]      removes the program; saved runs and settings only with /DELETERUNS
;
; Exit codes: 0 done, 1 canceled, 2 the folder cannot be written, 3 a program in it is running.

Unicode true
ManifestDPIAware true
SetCompressor /SOLID lzma
; The times of the files are those of the source, and not part of the installer.
SetDateSave off
RequestExecutionLevel user

!include "FileFunc.nsh"
!include "LogicLib.nsh"
!include "MUI2.nsh"
!include "Sections.nsh"

!define KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\Jitterscope"
!define TYPE "Jitterscope.Run"

Name "Jitterscope"
OutFile "${OUTPUT}"
InstallDir "$LOCALAPPDATA\Programs\Jitterscope"
InstallDirRegKey HKCU "Software\Jitterscope" "InstallFolder"
BrandingText "Jitterscope ${VERSION}"

VIProductVersion "${VERSION}.0"
VIAddVersionKey "ProductName" "Jitterscope"
VIAddVersionKey "FileDescription" "Jitterscope setup"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "LegalCopyright" "MIT or Apache-2.0"

!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!define MUI_FINISHPAGE_RUN "$INSTDIR\jitterscope.exe"
!define MUI_FINISHPAGE_RUN_TEXT "Start Jitterscope"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!define MUI_COMPONENTSPAGE_NODESC
!insertmacro MUI_UNPAGE_COMPONENTS
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"

; Says why, in a dialog or silently, and ends.
!macro Fail CODE TEXT
  ${IfNot} ${Silent}
    MessageBox MB_OK|MB_ICONEXCLAMATION "${TEXT}"
  ${EndIf}
  SetErrorLevel ${CODE}
  Quit
!macroend

; A program that runs cannot be opened for writing: nothing is changed then.
!macro EndIfRunning NAME ACTION
  ${If} ${FileExists} "$INSTDIR\${NAME}"
    ClearErrors
    FileOpen $0 "$INSTDIR\${NAME}" a
    ${If} ${Errors}
      !insertmacro Fail 3 "${NAME} is running or cannot be changed. Close Jitterscope, then ${ACTION} again. Nothing was changed."
    ${EndIf}
    FileClose $0
  ${EndIf}
!macroend

Section "Jitterscope"
  !insertmacro EndIfRunning "jitterscope.exe" "install"
  !insertmacro EndIfRunning "jitterscope-cli.exe" "install"

  ClearErrors
  CreateDirectory "$INSTDIR"
  FileOpen $0 "$INSTDIR\install.tmp" w
  ${If} ${Errors}
    !insertmacro Fail 2 "Jitterscope cannot be installed in $INSTDIR: you may not write there. Choose another folder. Nothing was changed."
  ${EndIf}
  FileClose $0
  Delete "$INSTDIR\install.tmp"

  SetOutPath "$INSTDIR"
  SetOverwrite on
  File /r "${SOURCE}\*.*"
  WriteUninstaller "$INSTDIR\uninstall.exe"

  CreateShortcut "$SMPROGRAMS\Jitterscope.lnk" "$INSTDIR\jitterscope.exe"

  WriteRegStr HKCU "Software\Jitterscope" "InstallFolder" "$INSTDIR"
  WriteRegStr HKCU "Software\Microsoft\Windows\CurrentVersion\App Paths\jitterscope.exe" "" "$INSTDIR\jitterscope.exe"
  WriteRegStr HKCU "Software\Microsoft\Windows\CurrentVersion\App Paths\jitterscope-cli.exe" "" "$INSTDIR\jitterscope-cli.exe"

  ; Run files end in .jitterscope.json. Windows associates by the last extension only, which belongs to
  ; other programs: Jitterscope is offered under "Open with" and does not become the default.
  WriteRegStr HKCU "Software\Classes\${TYPE}" "" "Jitterscope run"
  WriteRegStr HKCU "Software\Classes\${TYPE}\DefaultIcon" "" "$INSTDIR\jitterscope.exe,0"
  WriteRegStr HKCU "Software\Classes\${TYPE}\shell\open\command" "" '"$INSTDIR\jitterscope.exe" "%1"'
  WriteRegStr HKCU "Software\Classes\.json\OpenWithProgids" "${TYPE}" ""
  WriteRegStr HKCU "Software\Classes\Applications\jitterscope.exe" "FriendlyAppName" "Jitterscope"
  WriteRegStr HKCU "Software\Classes\Applications\jitterscope.exe\shell\open\command" "" '"$INSTDIR\jitterscope.exe" "%1"'
  WriteRegStr HKCU "Software\Classes\Applications\jitterscope.exe\SupportedTypes" ".json" ""
  WriteRegStr HKCU "Software\Classes\Applications\jitterscope.exe\SupportedTypes" ".csv" ""
  WriteRegStr HKCU "Software\Classes\Applications\jitterscope.exe\SupportedTypes" ".html" ""

  ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
  WriteRegStr HKCU "${KEY}" "DisplayName" "Jitterscope"
  WriteRegStr HKCU "${KEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${KEY}" "DisplayIcon" "$INSTDIR\jitterscope.exe"
  WriteRegStr HKCU "${KEY}" "Publisher" "The Jitterscope developers"
  WriteRegStr HKCU "${KEY}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${KEY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${KEY}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${KEY}" "EstimatedSize" $0
  WriteRegDWORD HKCU "${KEY}" "NoModify" 1
  WriteRegDWORD HKCU "${KEY}" "NoRepair" 1
SectionEnd

Section "un.Jitterscope"
  SectionIn RO
  !insertmacro EndIfRunning "jitterscope.exe" "uninstall"
  !insertmacro EndIfRunning "jitterscope-cli.exe" "uninstall"

  ; Only what was installed: the folder may contain files of yours.
  !include "${FILES}"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\Jitterscope.lnk"

  DeleteRegKey HKCU "Software\Jitterscope"
  DeleteRegKey HKCU "Software\Microsoft\Windows\CurrentVersion\App Paths\jitterscope.exe"
  DeleteRegKey HKCU "Software\Microsoft\Windows\CurrentVersion\App Paths\jitterscope-cli.exe"
  DeleteRegKey HKCU "Software\Classes\${TYPE}"
  DeleteRegValue HKCU "Software\Classes\.json\OpenWithProgids" "${TYPE}"
  DeleteRegKey HKCU "Software\Classes\Applications\jitterscope.exe"
  DeleteRegKey HKCU "${KEY}"
SectionEnd

; Not selected: saved runs stay unless you decide otherwise.
Section /o "un.Delete saved runs and settings" DELETE_RUNS
  RMDir /r "$LOCALAPPDATA\Jitterscope\data"
  RMDir "$LOCALAPPDATA\Jitterscope"
  RMDir /r "$APPDATA\Jitterscope"
SectionEnd

Function un.onInit
  ${GetParameters} $0
  ClearErrors
  ${GetOptions} $0 "/DELETERUNS" $1
  ${IfNot} ${Errors}
    !insertmacro SelectSection ${DELETE_RUNS}
  ${EndIf}
FunctionEnd
